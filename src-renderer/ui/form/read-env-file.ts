/**
 * Reads the text of a .env file: NAME=value lines, `export` before them, quotes around values, comments.
 * @returns undefined where the text is none, like a single word
 */
export function readEnvFile(text: string): readonly { readonly name: string; readonly value: string }[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const pairs = lines.map(readLine)
  if (pairs.length === 0 || pairs.some((pair) => pair === undefined)) return undefined
  return pairs.filter((pair) => pair !== undefined)
}

function readLine(line: string): { readonly name: string; readonly value: string } | undefined {
  const [, name, value] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) return undefined
  const quoted = /^(["'])(.*)\1$/.exec(value)
  return { name, value: quoted?.[2] ?? value }
}
