"""`python -m jobmonitor`: the command line where no console script is installed, as in an egg."""

from jobmonitor.cli.main import main

main()
