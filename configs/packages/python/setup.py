# SPDX-License-Identifier: BSD-3-Clause
"""The wheel holds programs for one kind of machine, but no module of one Python."""
from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Programs(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(distclass=Programs, cmdclass={"bdist_wheel": AnyPython})
