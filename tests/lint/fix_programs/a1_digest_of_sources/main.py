import hashlib, pathlib
for p in sorted(pathlib.Path('code').glob('**/*')):
    if p.is_file():
        print(p.name, hashlib.md5(p.read_bytes()).hexdigest()[:6])
