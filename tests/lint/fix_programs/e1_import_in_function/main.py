def main():
    try:
        from lib.feed import take as t; return t()
    except AttributeError:
        return "new"


print(main())
