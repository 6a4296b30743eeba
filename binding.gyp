{
  'variables': {
    'version': '<!(node -p "require(\'./package.json\').version")',
    # In the package: the sources without comments, see scripts/prepack.mjs.
    'native': '<!(test -d native && echo native || echo dist/native)',
    # Shared by both programs. No libstdc++: see native/core/base.h.
    'procleash_cflags': [
      '-std=c++20', '-Os', '-Wall', '-Wextra', '-Werror=return-type', '-fno-exceptions', '-fno-rtti',
      '-fno-threadsafe-statics', '-ffunction-sections', '-fdata-sections',
    ],
  },
  'targets': [
    {
      'target_name': 'procleash',
      'dependencies': ['procleash-supervisor'],
      'sources': [
        '<(INTERMEDIATE_DIR)/helper_bytes.S',
        '<(native)/addon/call.cc',
        '<(native)/addon/cgroups.cc',
        '<(native)/addon/collector.cc',
        '<(native)/addon/command_calls.cc',
        '<(native)/addon/command_stdio.cc',
        '<(native)/addon/commands.cc',
        '<(native)/addon/conversation.cc',
        '<(native)/addon/descriptors.cc',
        '<(native)/addon/environment.cc',
        '<(native)/addon/foreign_calls.cc',
        '<(native)/addon/foreign_jobs.cc',
        '<(native)/addon/helper_image.cc',
        '<(native)/addon/lease.cc',
        '<(native)/addon/module.cc',
        '<(native)/addon/napi_values.cc',
        '<(native)/addon/orphans.cc',
        '<(native)/addon/probe.cc',
        '<(native)/addon/reactor.cc',
        '<(native)/addon/reactor_calls.cc',
        '<(native)/addon/records.cc',
        '<(native)/addon/relatives.cc',
        '<(native)/addon/request_delivery.cc',
        '<(native)/addon/spawn_command.cc',
        '<(native)/addon/spawn_order.cc',
        '<(native)/addon/spawn_request.cc',
        '<(native)/addon/stream_calls.cc',
        '<(native)/addon/streams.cc',
        '<(native)/addon/subreaper_calls.cc',
        '<(native)/addon/supervisor_link.cc',
        '<(native)/addon/sweep.cc',
        '<(native)/addon/watch_tree.cc',
        '<(native)/core/cgroup.cc',
        '<(native)/core/cgroup_place.cc',
        '<(native)/core/descendants.cc',
        '<(native)/core/directory.cc',
        '<(native)/core/entry.cc',
        '<(native)/core/features.cc',
        '<(native)/core/kin.cc',
        '<(native)/core/proc.cc',
        '<(native)/core/rights.cc',
        '<(native)/core/signals.cc',
        '<(native)/core/wire.cc',
        '<(native)/foreign/foreign_report.cc',
        '<(native)/foreign/foreign_signals.cc',
        '<(native)/foreign/foreign_stop.cc',
        '<(native)/foreign/foreign_target.cc',
        '<(native)/foreign/foreign_tree.cc',
        '<(native)/foreign/members.cc',
        '<(native)/foreign/snapshot.cc',
      ],
      'include_dirs': ['<(native)'],
      'defines': ['NAPI_VERSION=8', 'PROCLEASH_VERSION="<(version)"'],
      # musl has no fcntl64; on the 64-bit platforms of ours the types are the same without the define.
      'defines!': ['_FILE_OFFSET_BITS=64'],
      'actions': [
        {
          # The copy is newer than the helper, so that the addon is built again with a new one.
          'action_name': 'embed_helper',
          'inputs': ['<(native)/addon/helper_bytes.S', '<(PRODUCT_DIR)/procleash-supervisor'],
          'outputs': ['<(INTERMEDIATE_DIR)/helper_bytes.S'],
          'action': ['cp', '<(native)/addon/helper_bytes.S', '<(INTERMEDIATE_DIR)/helper_bytes.S'],
        },
      ],
      'cflags': ['-Wa,-I<(PRODUCT_DIR)'],
      # gcc's outlined atomics are functions of libgcc.
      'conditions': [['target_arch=="arm64"', {'cflags': ['-mno-outline-atomics']}]],
      'cflags!': ['-O3'],
      'cflags_cc!': ['-std=gnu++17', '-std=gnu++20', '-fno-omit-frame-pointer'],
      'cflags_cc': ['<@(procleash_cflags)', '-fvisibility=hidden', '-fno-asynchronous-unwind-tables', '-fno-unwind-tables'],
      # No library is named, so that one file loads with glibc and musl: the host's own C library gives the symbols.
      # nodelete: Node unloads an addon whose last worker ended, and a running thread with it.
      'ldflags': ['-nostdlib', '-Wl,-z,nodelete', '-Wl,--gc-sections'],
      'libraries!': ['-lstdc++'],
    },
    {
      'target_name': 'procleash-supervisor',
      'type': 'none',
      'actions': [
        {
          'action_name': 'build_supervisor',
          'inputs': [
            'scripts/build-supervisor.sh',
            '<!@(ls <(native)/core/*.cc <(native)/core/*.h <(native)/foreign/*.cc <(native)/foreign/*.h <(native)/supervisor/*.cc <(native)/supervisor/*.h)',
          ],
          'outputs': ['<(PRODUCT_DIR)/procleash-supervisor'],
          'action': ['sh', 'scripts/build-supervisor.sh', '<(PRODUCT_DIR)/procleash-supervisor', '<(version)'],
        },
      ],
    },
    {
      # An executable of its own, so that it works under any name: dockerd and podman give their init theirs.
      'target_name': 'procleash-init',
      'type': 'none',
      'variables': {
        'init_sources': [
          '<!@(ls <(native)/core/*.cc <(native)/init/*.cc)', '<(native)/supervisor/stop.cc', '<(native)/supervisor/tree.cc',
        ],
      },
      'actions': [
        {
          'action_name': 'build_init',
          'inputs': [
            'scripts/build-supervisor.sh',
            '<@(init_sources)',
            '<!@(ls <(native)/core/*.h <(native)/init/*.h <(native)/supervisor/*.h)',
          ],
          'outputs': ['<(PRODUCT_DIR)/procleash-init'],
          'action': [
            'sh', 'scripts/build-supervisor.sh', '<(PRODUCT_DIR)/procleash-init', '<(version)', '<@(init_sources)',
          ],
        },
      ],
    },
  ],
}
