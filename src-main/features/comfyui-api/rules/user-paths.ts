/** @returns undefined if it is invalid or leaves the folder */
export function userPath(path: string): string | undefined {
  const parts = path.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part))
  return isPlain && path.length <= 1000 ? path : undefined
}

/**
 * Files in a folder, with paths relative to it.
 * @param isDeep also those in subfolders
 */
export function filesBelow<File extends { readonly path: string }>(
  files: readonly File[],
  folder: string,
  isDeep: boolean,
): readonly File[] {
  const prefix = folder === '' ? '' : `${folder.replace(/\/+$/, '')}/`
  return files
    .filter(({ path }) => path !== '' && path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }))
    .filter(({ path }) => isDeep || !path.includes('/'))
}

/** @returns the folder with a trailing `/`, or `''` for none; undefined if it is invalid */
export function inputFolder(subfolder: unknown): string | undefined {
  const path = typeof subfolder === 'string' ? subfolder.replace(/^\/+|\/+$/g, '') : ''
  if (path === '') return ''
  return path.length <= 200 && userPath(path) !== undefined ? `${path}/` : undefined
}
