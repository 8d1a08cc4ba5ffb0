export type SshTarget = {
  /** `user@host`, `host`, or a name in the SSH configuration. */
  readonly to: string
  readonly port?: number | undefined
}

// Overrides of the user's configuration; known hosts and keys are never touched.
const OPTIONS = [
  'BatchMode=yes',
  'ControlMaster=yes',
  'ControlPersist=no',
  // Detects a dead connection after 6 to 9 s; source: ours, before its workers' leases end (10 s), as they are not to
  // blame.
  'ServerAliveInterval=3',
  'ServerAliveCountMax=2',
  'ConnectTimeout=10', // seconds; source: ours
  'ClearAllForwardings=yes', // configured forwards serve the user's own sessions and may be in use there
  'ForkAfterAuthentication=no',
  'RemoteCommand=none',
  'StreamLocalBindUnlink=yes',
]

export function masterArguments(target: SshTarget, control: string): readonly string[] {
  const options = OPTIONS.flatMap((option) => ['-o', option])
  return ['-a', '-x', '-T', '-S', control, ...options, ...destination(target), '/bin/sh -s']
}

export function sessionArguments(target: SshTarget, control: string): readonly string[] {
  const options = ['BatchMode=yes', 'ControlMaster=no', 'RemoteCommand=none'].flatMap((option) => ['-o', option])
  return ['-a', '-x', '-T', '-S', control, ...options, ...destination(target), '/bin/sh -s']
}

/** `-L` from here to there, `-R` from there to here; ends are paths or `host:port`. */
export type SshForward = { readonly way: '-L' | '-R'; readonly from: string; readonly to: string }

export function forwardArguments(
  target: SshTarget,
  control: string,
  command: 'forward' | 'cancel',
  { way, from, to }: SshForward,
): readonly string[] {
  return ['-S', control, '-O', command, way, `${from}:${to}`, ...destination(target)]
}

// After `--`, so that no name is taken for an option.
function destination({ to, port }: SshTarget): readonly string[] {
  return [...(port === undefined ? [] : ['-p', String(port)]), '--', to]
}

/**
 * All lines of a failed login, session or forward, because the last line often says only that it failed.
 * @param otherwise used if stderr says nothing
 */
export function sshReason(stderr: string, otherwise: string): string {
  const { said, lines } = meaningfulLines(stderr)
  return said.length === 0 ? (lines.at(-1) ?? otherwise) : said.join(' ')
}

/** Why an open connection ended: its last line that says something. */
export function whyLost(stderr: string, otherwise: string): string {
  const { said, lines } = meaningfulLines(stderr)
  return said.at(-1) ?? lines.at(-1) ?? otherwise
}

function meaningfulLines(stderr: string) {
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => line.replace(/^@+|@+$/g, '').trim())
    .filter((line) => line !== '')
  // OpenSSH repeats this line for every failed forward request.
  return { lines, said: [...new Set(lines.filter((line) => !/^channel \d+: open failed/.test(line)))] }
}
