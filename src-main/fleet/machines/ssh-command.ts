/** The system's `ssh` as a program: with which options it is started, and what its words say. Pure. */

/** Who is logged in to, as the user's own configuration of OpenSSH knows it. */
export type SshTarget = {
  /** `user@host`, `host`, or a name of that configuration. */
  readonly to: string
  readonly port?: number | undefined
}

// Every option comes from the user's own configuration but these. Known hosts and keys are never touched.
const OPTIONS = [
  'BatchMode=yes', // nobody is there to be asked
  'ControlMaster=yes',
  'ControlPersist=no', // it lives as long as this program wants it
  // A connection that died without a word is noticed after 6 to 9 s; source: ours, before the leases of its workers end
  // (10 s), which are not to blame then.
  'ServerAliveInterval=3',
  'ServerAliveCountMax=2',
  'ConnectTimeout=10', // seconds; source: ours
  'ClearAllForwardings=yes', // those of the configuration are for the user's own sessions, and may be in use there
  'ForkAfterAuthentication=no',
  'RemoteCommand=none',
  'StreamLocalBindUnlink=yes',
]

/** Arguments of the `ssh` that keeps the connection and runs a shell which reads its commands from stdin. */
export function masterArguments(target: SshTarget, control: string): readonly string[] {
  const options = OPTIONS.flatMap((option) => ['-o', option])
  return ['-a', '-x', '-T', '-S', control, ...options, ...destination(target), '/bin/sh -s']
}

/** Arguments of an `ssh` that runs another such shell over that connection. */
export function sessionArguments(target: SshTarget, control: string): readonly string[] {
  const options = ['BatchMode=yes', 'ControlMaster=no', 'RemoteCommand=none'].flatMap((option) => ['-o', option])
  return ['-a', '-x', '-T', '-S', control, ...options, ...destination(target), '/bin/sh -s']
}

/** A forward: from here to there (`-L`), or from there to here (`-R`); each end is a path or `host:port`. */
export type SshForward = { readonly way: '-L' | '-R'; readonly from: string; readonly to: string }

/** Arguments that add a forward to the connection, or take it away. */
export function forwardArguments(
  target: SshTarget,
  control: string,
  command: 'forward' | 'cancel',
  { way, from, to }: SshForward,
): readonly string[] {
  return ['-S', control, '-O', command, way, `${from}:${to}`, ...destination(target)]
}

// Behind `--`, so that no name is ever taken for an option.
function destination({ to, port }: SshTarget): readonly string[] {
  return [...(port === undefined ? [] : ['-p', String(port)]), '--', to]
}

/**
 * What ssh said as it ended, as one line and in its own words.
 * @param stderr all that it wrote there
 * @param otherwise where it said nothing
 */
export function sshReason(stderr: string, otherwise: string): string {
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => line.replace(/^@+|@+$/g, '').trim())
    .filter((line) => line !== '')
  // OpenSSH writes such a line for each request of a forward that failed, as long as the connection lasts.
  const said = [...new Set(lines.filter((line) => !/^channel \d+: open failed/.test(line)))]
  return said.length === 0 ? (lines.at(-1) ?? otherwise) : said.join(' ')
}
