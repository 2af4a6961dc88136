"""A program that only predicts, with outputs that go on to other files."""

import torch
from boxes import load_images, suppress
from detector import Detector


def main(folder):
    net = Detector()
    net.load_state_dict(torch.load("detector.pt"))
    net.eval()
    for image in load_images(folder):
        detections = net(image)  # BUG
        print(suppress(detections, 0.5))


if __name__ == "__main__":
    main("images")
