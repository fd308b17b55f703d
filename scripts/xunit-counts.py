"""Prints how many tests of an xunit report passed and failed.

Usage: xunit-counts.py REPORT
"""

import sys
import xml.etree.ElementTree as tree

if {"-h", "--help"} & set(sys.argv):
    sys.exit(print(__doc__.strip()))

suites = list(tree.parse(sys.argv[1]).getroot().iter("testsuite"))
failed = sum(int(suite.get("failures", 0)) + int(suite.get("errors", 0)) for suite in suites)
skipped = sum(int(suite.get("skipped", 0)) for suite in suites)
print(sum(int(suite.get("tests", 0)) for suite in suites) - failed - skipped, failed)
