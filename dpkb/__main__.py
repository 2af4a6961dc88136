from dpkb.cli import main

main()
