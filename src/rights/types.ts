// The public shapes of dropping privileges, and the names of capabilities(7). Nothing here runs.

/** By number, as include/uapi/linux/capability.h has them. */
export const capabilityNames = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_DAC_READ_SEARCH',
  'CAP_FOWNER',
  'CAP_FSETID',
  'CAP_KILL',
  'CAP_SETGID',
  'CAP_SETUID',
  'CAP_SETPCAP',
  'CAP_LINUX_IMMUTABLE',
  'CAP_NET_BIND_SERVICE',
  'CAP_NET_BROADCAST',
  'CAP_NET_ADMIN',
  'CAP_NET_RAW',
  'CAP_IPC_LOCK',
  'CAP_IPC_OWNER',
  'CAP_SYS_MODULE',
  'CAP_SYS_RAWIO',
  'CAP_SYS_CHROOT',
  'CAP_SYS_PTRACE',
  'CAP_SYS_PACCT',
  'CAP_SYS_ADMIN',
  'CAP_SYS_BOOT',
  'CAP_SYS_NICE',
  'CAP_SYS_RESOURCE',
  'CAP_SYS_TIME',
  'CAP_SYS_TTY_CONFIG',
  'CAP_MKNOD',
  'CAP_LEASE',
  'CAP_AUDIT_WRITE',
  'CAP_AUDIT_CONTROL',
  'CAP_SETFCAP',
  'CAP_MAC_OVERRIDE',
  'CAP_MAC_ADMIN',
  'CAP_SYSLOG',
  'CAP_WAKE_ALARM',
  'CAP_BLOCK_SUSPEND',
  'CAP_AUDIT_READ',
  'CAP_PERFMON',
  'CAP_BPF',
  'CAP_CHECKPOINT_RESTORE',
] as const

/** A capability by its name in capabilities(7). */
export type CapabilityName = (typeof capabilityNames)[number]

/**
 * `keep`: these and no others; they are ambient where the command is not root, so that it still has them after exec.
 * `drop`: none of these, everything else as it would be. Either way the rest leaves the bounding set too: a setuid
 * program does not bring it back.
 */
export type CapabilityChange =
  | { readonly keep: readonly CapabilityName[]; readonly drop?: undefined }
  | { readonly drop: readonly CapabilityName[]; readonly keep?: undefined }

/**
 * What a command may do less than this program. Its keeper keeps this program's own rights, and so can stop it. See
 * credentials(7); the errors of a refusal are those of the system calls, `EPERM` above all ({@link SpawnError}).
 */
export interface RightsOptions {
  /** User id: real, effective and saved. Takes CAP_SETUID, and CAP_KILL to stop the command again. Default: the host's. */
  readonly uid?: number | undefined
  /** Group id: real, effective and saved. Takes CAP_SETGID. Default: the host's, also where `uid` is given. */
  readonly gid?: number | undefined
  /** Supplementary group ids, at most 64. Takes CAP_SETGID. Default: none where `uid` or `gid` changes, else the host's. */
  readonly groups?: readonly number[] | undefined
  /** Capabilities of the command and of what it starts. Takes CAP_SETPCAP. Default: as the kernel has it. */
  readonly capabilities?: CapabilityChange | undefined
  /**
   * No exec gives more rights any more, neither setuid programs nor file capabilities: PR_SET_NO_NEW_PRIVS. Takes no
   * right. Default: false, or as this program is itself.
   */
  readonly noNewPrivileges?: boolean | undefined
}
