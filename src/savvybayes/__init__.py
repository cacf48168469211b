"""Bayesian classifiers that are no longer naive: probabilities to trust, reasons to read."""

from importlib.metadata import version

from savvybayes.classifiers.chow_liu import ChowLiu
from savvybayes.classifiers.kdb import KDB
from savvybayes.classifiers.naive_bayes import NaiveBayes
from savvybayes.classifiers.tan import TAN
from savvybayes.discretizer import MDLPDiscretizer

__version__ = version("savvybayes")

__all__ = ["KDB", "TAN", "ChowLiu", "MDLPDiscretizer", "NaiveBayes"]
