/** Where a worker repository comes from, and the arguments and secrets of its build. Source: docs/spec/worker-images.md, 6. */

export type BuildSource =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 'git'
      readonly address: string
      readonly ref: string | undefined
      readonly folder: string
      readonly isLocal: boolean
    }

export type Problem = { readonly problem: string }

const SCHEME = /^([A-Za-z][\w+.-]*):(\/\/|:)/
const SCP_FORM = /^[\w.-]+@[\w.-]+:(?!\/\/).+/
// Source: git check-ref-format, less what a shell or git could read as an option or a refspec.
const REF = /^(?!-)(?!.*\.\.)[\w./@+-]{1,250}$/
const ALLOWED = ['https', 'ssh', 'file']

export function readBuildSource(text: string, isThere: (path: string) => boolean): BuildSource | Problem {
  if (isThere(text)) return { kind: 'folder', folder: text }
  const at = text.indexOf('#')
  const address = at < 0 ? text : text.slice(0, at)
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase()
  const isLocal = scheme === undefined ? !SCP_FORM.test(address) : scheme === 'file'
  if (address.startsWith('-')) return { problem: `"${text}" is neither a folder nor the address of a git repository.` }
  if (scheme !== undefined && !ALLOWED.includes(scheme))
    return { problem: `Addresses with ${scheme}: are not allowed. Use https:// or ssh://, or a folder.` }
  if (isLocal && scheme === undefined && (at < 0 || !isThere(address)))
    return { problem: `There is no folder ${text}.` }
  if (/^\w+:\/\/[^/]*:[^/]*@/.test(address))
    return {
      problem:
        'The address contains a password, which other users of this machine could read. Leave it out, and use a credential helper of git, or ssh.',
    }
  if (/^\w+:\/\/-|^[^/]*@-/.test(address) || /[\s\p{Cc}]/u.test(address))
    return { problem: `"${address}" is not an address of a git repository.` }
  const [ref = '', folder = ''] = at < 0 ? [] : splitOnce(text.slice(at + 1), ':')
  if (ref !== '' && !REF.test(ref)) return { problem: `"${ref}" is not the name of a branch, a tag or a commit.` }
  if (folder.split(/[\\/]/).includes('..')) return { problem: `The folder ${folder} is outside the repository.` }
  return { kind: 'git', address, ref: ref === '' ? undefined : ref, folder, isLocal }
}

function splitOnce(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)]
}

export function sourceName(source: BuildSource): string {
  const path = source.kind === 'folder' ? source.folder : source.folder || source.address
  return (
    path
      .replace(/[\\/]+$/, '')
      .replace(/\.git$/, '')
      .split(/[\\/:]/)
      .at(-1) ?? ''
  )
}

const VARIABLE = /^[A-Za-z_]\w*$/

/**
 * Reads `NAME=VALUE`, or `NAME` with the value of the environment.
 * @returns undefined for a name without a value, which Docker leaves out too
 */
export function readBuildArgument(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly [name: string, value: string] | Problem | undefined {
  const [name, value = env[name]] = splitOnce(text, '=')
  if (!VARIABLE.test(name)) return { problem: `"${text}" is not a build argument. Write NAME=VALUE.` }
  return value === undefined ? undefined : [name, value]
}

export type BuildSecret = { readonly id: string } & ({ readonly file: string } | { readonly variable: string })

const SECRET_ID = /^[\w.-]{1,200}$/
const SECRET_FORM = 'Write --secret id=NAME,src=FILE or --secret id=NAME,env=VARIABLE.'

export function readBuildSecret(text: string): BuildSecret | Problem {
  const fields = new Map<string, string>(
    text.split(',').map((part) => [splitOnce(part, '=')[0], splitOnce(part, '=')[1] ?? '']),
  )
  const { id, src, source = src, env, type, ...others }: Partial<Record<string, string>> = Object.fromEntries(fields)
  if (id === undefined || !SECRET_ID.test(id)) return { problem: `A secret needs an id. ${SECRET_FORM}` }
  const unknown = Object.keys(others)
  if (unknown.length > 0) return { problem: `The secret ${id} has an unknown field ${unknown[0]}. ${SECRET_FORM}` }
  if (source !== undefined && env !== undefined)
    return { problem: `The secret ${id} comes from a file or from a variable, not from both. ${SECRET_FORM}` }
  if (source !== undefined && type === 'env') return { id, variable: source }
  if (source !== undefined)
    return source === '' ? { problem: `The file of secret ${id} has no name.` } : { id, file: source }
  return { id, variable: env ?? id }
}

export function argumentWarnings(names: readonly string[]): readonly string[] {
  return names
    .filter(looksSecret)
    .map(
      (name) =>
        `The build argument ${name} looks like a secret, and everyone with the image can read it in the history. Use --secret id=${name},env=${name} and RUN --mount=type=secret,id=${name}.`,
    )
}

const SECRET_WORD =
  /(?:^|_)(?:api_?key|auth|credentials?|key|passphrase|passwd|password|pat|pword|secrets?|token)(?:_|$)/i
const PUBLIC_WORD = /(?:^|_)public(?:_|$)/i

const looksSecret = (name: string) => SECRET_WORD.test(name) && !PUBLIC_WORD.test(name)
