deps_config := \
	sysklogd/Config.in \
	shell/Config.in \
	selinux/Config.in \
	runit/Config.in \
	procps/Config.in \
	mailutils/Config.in \
	printutils/Config.in \
	networking/udhcp/Config.in \
	networking/Config.in \
	miscutils/Config.in \
	util-linux/volume_id/Config.in \
	util-linux/Config.in \
	modutils/Config.in \
	e2fsprogs/Config.in \
	loginutils/Config.in \
	init/Config.in \
	findutils/Config.in \
	editors/Config.in \
	klibc-utils/Config.in \
	debianutils/Config.in \
	console-tools/Config.in \
	coreutils/Config.in \
	archival/Config.in \
	libbb/Config.in \
	Config.in \

include/config/auto.conf: $(deps_config)

ifneq "$(PATH)" "/root/.cargo/bin:/root/.cargo/bin:/root/.pyenv/plugins/pyenv-virtualenv/shims:/root/.pyenv/shims:/root/.pyenv/bin:/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
include/config/auto.conf: FORCE
endif
ifneq "$(KERNELVERSION)" "1.2.3"
include/config/auto.conf: FORCE
endif

$(deps_config): ;
