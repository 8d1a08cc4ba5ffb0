type Line = { readonly pattern: RegExp; readonly words: (name: string, more: string | undefined) => string }

// Lines of pip and apt-get that are news. Source: pip 23 to 25, apt 2.6; any other line is none.
const LINES: readonly Line[] = [
  { pattern: /^\s*Collecting ([\w.-]+)/, words: (name) => `installing ${name}` },
  {
    pattern: /^\s*Downloading (?:\S*\/)?([\w.]+-[^-\s]+)-\S+\.whl \((.+)\)/,
    words: (file, size) => `downloading ${file.replace('-', ' ')} (${size})`,
  },
  { pattern: /^\s*Building wheel for ([\w.-]+)/, words: (name) => `compiling ${name}` },
  { pattern: /^(Installing) collected packages: /, words: () => 'unpacking what was downloaded' },
  { pattern: /^Get:\d+ \S+ \S+ \S+ (\S+) \S+ \S+ \[(.+)\]/, words: (name, size) => `downloading ${name} (${size})` },
  { pattern: /^Setting up ([\w.+-]+)/, words: (name) => `installing ${name}` },
]

/** What an installer does, by a line of its output; undefined where the line is no news. */
export function installProgress(line: string): string | undefined {
  for (const { pattern, words } of LINES) {
    const [, name, more] = pattern.exec(line) ?? []
    if (name !== undefined) return words(name, more)
  }
  return undefined
}
