from dpkb.cli.main import main

main()
