"""`python -m jobmonitor`: the command without an installed script, such as from an egg (docs/deploy.md)."""

from jobmonitor.cli.main import main

if __name__ == "__main__":
    main()
