from torch.utils.data.datapipes.iter import FileLister, FileOpener
print(sorted(len(f.read()) for _, f in FileOpener(FileLister('.'), mode='r')))
