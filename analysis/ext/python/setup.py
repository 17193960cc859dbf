# SPDX-License-Identifier: BSD-3-Clause
"""Where configs/packages/wheel.sh put the programs into roofline/programs, the wheel is of this kind of machine
and starts them; else it is pure. The fixture of pytest is in both."""
import glob
import os

from setuptools import Distribution, setup

entry_points = {"pytest11": ["roofline = roofline.pytest_plugin"]}
options = {"entry_points": entry_points}
programs = [os.path.basename(path) for path in sorted(glob.glob("roofline/programs/bin/*"))]
if programs:
    from setuptools.command.bdist_wheel import bdist_wheel

    class Compiled(Distribution):
        def has_ext_modules(self):
            return True

    class Wheel(bdist_wheel):
        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    options["distclass"] = Compiled
    options["cmdclass"] = {"bdist_wheel": Wheel}
    entry_points["console_scripts"] = [f"{name} = roofline.__main__:main" for name in programs]
setup(**options)
