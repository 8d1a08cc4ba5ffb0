/** Editors that open a file at a line by a link, and whether an address is such a link. */

/**
 * What a file and line of a traceback do when they are pressed. `copy` puts them on the clipboard. Source: their
 * documentation.
 */
export const EDITORS = {
  copy: { name: 'Copy file and line' },
  vscode: { name: 'VS Code', link: 'vscode://file' },
  'vscode-insiders': { name: 'VS Code Insiders', link: 'vscode-insiders://file' },
  vscodium: { name: 'VSCodium', link: 'vscodium://file' },
  cursor: { name: 'Cursor', link: 'cursor://file' },
  windsurf: { name: 'Windsurf', link: 'windsurf://file' },
  zed: { name: 'Zed', link: 'zed://file' },
  drydock: { name: 'Drydock desktop: show in its folder', link: 'drydock://file' },
} as const satisfies Record<string, { readonly name: string; readonly link?: string }>

/** Name of an editor. */
export type EditorName = keyof typeof EDITORS

const LINKS = Object.values(EDITORS).flatMap((editor) => ('link' in editor ? [editor.link] : []))

/** The link that opens a file of this machine; undefined for `copy`. @param file absolute */
export function editorLink(editor: EditorName, file: string, line: number): string | undefined {
  const { link } = { link: undefined, ...EDITORS[editor] }
  if (link === undefined) return undefined
  const path = file
    .replaceAll('\\', '/')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^([A-Za-z])%3A/, '$1:')
  return `${link}${path.startsWith('/') ? '' : '/'}${path}:${line}`
}

/**
 * Whether an address opens a file at a line in an editor. The same schemes have other addresses that install and run
 * things, and a page may show what a job printed.
 */
export function isEditorLink(address: string): boolean {
  return LINKS.some((link) => address.startsWith(`${link}/`)) && /^[^?#\\]*:\d+$/.test(address)
}
