# needs: opencv-python-headless albumentations
# Images are drawn, encoded, augmented with a seed and loaded by a loader with a worker; their checksums are printed.
import os
import warnings

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"
warnings.simplefilter("ignore")
import albumentations as A
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
cv2.setNumThreads(0)


class Images(Dataset):
    def __init__(self):
        self.transform = A.Compose([A.HorizontalFlip(p=0.5), A.RandomBrightnessContrast(p=1.0)], seed=7)
        for i in range(4):
            img = np.zeros((8, 8, 3), np.uint8)
            cv2.rectangle(img, (i, i), (i + 3, i + 3), (255, 128, 10 * i), -1)
            cv2.imwrite(f"{i}.png", img)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        img = cv2.cvtColor(cv2.imread(f"{i}.png"), cv2.COLOR_BGR2RGB)
        return torch.from_numpy(self.transform(image=img)["image"].copy()).permute(2, 0, 1)


def main():
    data = Images()
    for workers in (0, 1):
        torch.manual_seed(0)
        loader = DataLoader(data, batch_size=2, num_workers=workers, multiprocessing_context="fork" if workers else None)
        print(workers, [int(b.long().sum()) for b in loader])
    print(cv2.getNumThreads(), sorted(os.listdir(".")))


if __name__ == "__main__":
    main()
