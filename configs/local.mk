# SPDX-License-Identifier: BSD-3-Clause
# configs/: presets that `ert run --config NAME` finds, and batch scripts.

presetdir = $(pkgdatadir)/configs
dist_preset_DATA = configs/README.md \
	configs/a100.json configs/auto.json configs/bandwidth.json configs/epyc.json \
	configs/ert-1.1.0.json configs/full.json configs/grace.json configs/graviton.json \
	configs/h100.json configs/h200.json configs/knl.json configs/login-node.json configs/numa-node.json \
	configs/quick.json configs/v100.json configs/xeon.json configs/xeon-max.json
slurmdir = $(presetdir)/slurm
dist_slurm_SCRIPTS = configs/slurm/cpu-node.sh configs/slurm/fleet.sh configs/slurm/gpu-node.sh \
	configs/slurm/health-check.sh configs/slurm/knl-quad-cache.sh configs/slurm/knl-quad-flat.sh \
	configs/slurm/node-check.sh configs/slurm/v100-node.sh
nhcdir = $(presetdir)/nhc
dist_nhc_DATA = configs/nhc/ert.nhc
reframedir = $(presetdir)/reframe
dist_reframe_DATA = configs/reframe/ert_node.py

# For continuous integration, to copy.
EXTRA_DIST += configs/ci/README.md configs/ci/Jenkinsfile configs/ci/github.yml configs/ci/gitlab.yml

# For those who package: README.md there says what each is.
EXTRA_DIST += configs/packages/README.md configs/packages/ert.lua configs/packages/sbom.py \
	configs/packages/third-party.md configs/packages/container/Containerfile \
	configs/packages/debian/changelog configs/packages/debian/control configs/packages/debian/copyright \
	configs/packages/debian/ert-cuda.install \
	configs/packages/debian/ert-doc.docs configs/packages/debian/ert-net.install \
	configs/packages/debian/ert-valgrind.install configs/packages/debian/ert-valgrind.lintian-overrides \
	configs/packages/debian/ert.install configs/packages/debian/libroofline-dev.install \
	configs/packages/debian/libroofline0.install configs/packages/debian/libroofline0.symbols \
	configs/packages/debian/rules configs/packages/wheel.sh \
	configs/packages/debian/source/format configs/packages/debian/tests/control \
	configs/packages/debian/tests/library configs/packages/debian/tests/net \
	configs/packages/debian/tests/programs configs/packages/easybuild/ert-2.0.0.eb \
	configs/packages/rpm/ert.spec configs/packages/spack/package.py

# A program that was built elsewhere than in the sources finds the presets beside it.
all-local: presets-here
presets-here:
	@if test "$(srcdir)" != .; then $(MKDIR_P) configs; \
		for file in $(dist_preset_DATA); do cp -f "$(srcdir)/$$file" configs/; done; fi
.PHONY: presets-here
clean-local:
	@if test "$(srcdir)" != .; then rm -rf configs; fi
