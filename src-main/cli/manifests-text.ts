/** Manifests as YAML, with what a person has to know of them as comments at the top. */
import { stringify } from 'yaml'
import type { KubernetesExport } from '../domain/export/kubernetes.ts'
import { plainText } from './output.ts'

// Longest line of a comment, in characters. Commands stay whole, so that they can be copied.
const WIDTH = 100

/** @param title the first line, a sentence */
export function manifestsText(title: string, { manifests, needs, notes }: KubernetesExport): string {
  const head = [
    `# ${title}`,
    ...listed(
      'What has to be there first:',
      needs.map(({ what, commands }) => [
        ...wrapped(what),
        ...commands.map((command) => `#     $ ${oneLine(command)}`),
      ]),
    ),
    ...listed('Settings that are different there, or have no counterpart:', notes.map(wrapped)),
  ]
  // Version 1.1, as what reads it takes unquoted words like `yes` and `on` for booleans.
  const documents = manifests.map((manifest) =>
    stringify(manifest, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }),
  )
  return `${head.join('\n')}\n${documents.map((document) => `---\n${document}`).join('')}`
}

function listed(heading: string, items: readonly (readonly string[])[]): readonly string[] {
  return items.length === 0 ? [] : ['#', `# ${heading}`, ...items.flat()]
}

// What is in the settings must not end a comment.
const oneLine = (text: string) => plainText(text).replace(/\s+/g, ' ')

function wrapped(item: string): readonly string[] {
  const lines: string[] = []
  for (const word of oneLine(item).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= WIDTH)
      lines.push(`#${lines.length === 0 ? ' -' : '  '} ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
