from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def part_of_this_worker(items):
    info = get_worker_info()
    return items if info is None else items[info.id::info.num_workers]


class Stream(IterableDataset):
    def __iter__(self):
        yield from part_of_this_worker(range(100))


if __name__ == "__main__":
    for batch in DataLoader(Stream(), num_workers=2, batch_size=4):
        print(batch)
