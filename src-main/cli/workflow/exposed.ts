import { usageError } from '../cli-error.ts'

/** An input that is to be a parameter, as it was typed: `6.text=prompt`. */
export type Exposed = { readonly node: string; readonly input: string; readonly name: string }

/** Reads `NODE.INPUT` or `NODE.INPUT=NAME`. @throws CliError USAGE */
export function readExposed(text: string): Exposed {
  const [, node, input, name] = /^([^.=]+)\.([^=]+?)(?:=([A-Za-z_][A-Za-z0-9_]*))?$/.exec(text) ?? []
  if (node === undefined || input === undefined)
    throw usageError(`--expose takes NODE.INPUT or NODE.INPUT=NAME, like 6.text=prompt, not ${text}.`)
  return { node, input, name: name ?? input }
}
