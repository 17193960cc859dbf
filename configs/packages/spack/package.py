# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Ert(AutotoolsPackage, CudaPackage):
    """Measures what a machine really attains, with the evidence for each number; places profiled
    kernels under these ceilings and draws Roofline charts."""

    # Fill in before publishing: homepage, url, maintainers, and sha256 of each version.
    homepage = "https://doi.org/10.1145/1498765.1498785"
    url = "file:///usr/src/ert-2.0.0.tar.xz"

    license("BSD-3-Clause")

    version("2.0.0")

    variant("cairo", default=True, description="Charts as PNG and PDF")
    variant("mpi", default=False, description="ert-net, which measures the network between hosts")
    variant("valgrind", default=False, description="Counts of programs without hardware counters")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.4:")
    depends_on("cjson@1.7:")
    depends_on("cairo@1.16:+pdf", when="+cairo")
    depends_on("cuda@11.0:", when="+cuda")
    depends_on("mpi", when="+mpi")
    depends_on("valgrind", when="+valgrind")
    depends_on("cmocka@1.1.5:", type="test")

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs: cuda_arch=90")
    requires("target=x86_64:", "target=aarch64:", policy="one_of")

    def configure_args(self):
        spec = self.spec
        args = self.with_or_without("cairo") + self.with_or_without("valgrind")
        args += ["--with-mpi=" + spec["mpi"].mpicc] if "+mpi" in spec else ["--without-mpi"]
        if "+cuda" in spec:
            args += ["--with-cuda-path=" + spec["cuda"].prefix,
                     "--with-cuda-arch=" + " ".join(spec.variants["cuda_arch"].value)]
        else:
            args += ["--without-cuda"]
        return args
