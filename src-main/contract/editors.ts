/** Actions when a traceback's location is pressed; `copy` uses the clipboard. Source: the editors' documentation. */
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

export type EditorName = keyof typeof EDITORS

const LINKS = Object.values(EDITORS).flatMap((editor) => ('link' in editor ? [editor.link] : []))

/**
 * Returns the link that opens a local file; undefined for `copy`.
 * @param file absolute path
 */
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
 * True only for links that open a file at a line, as the same schemes can install or run things, and pages show job
 * output.
 */
export function isEditorLink(address: string): boolean {
  return LINKS.some((link) => address.startsWith(`${link}/`)) && /^[^?#\\]*:\d+$/.test(address)
}
