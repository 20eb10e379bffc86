"""simkit, the retry review workbench: may anybody call again when the outcome of a write is unknown?"""

__all__ = ["__version__"]

__version__ = "0.1.0"
