import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { installPythonPackage } from '../../../lib/node/install-python-package.ts'

const PACKAGE = 'comfyui-frontend-package'

export const hasIndex = (folder: string): Promise<boolean> =>
  stat(join(folder, 'index.html')).then(
    (found) => found.isFile(),
    () => false,
  )

export async function installPage(
  cache: string,
  installing: (name: string) => void,
): Promise<{ readonly folder: string } | { readonly why: string }> {
  const isComplete = (folder: string) => hasIndex(staticFolder(folder))
  const why = await installPythonPackage({ name: PACKAGE, folder: cache, isComplete, installing })
  return why === undefined ? { folder: staticFolder(cache) } : { why }
}

const staticFolder = (installed: string) => join(installed, 'comfyui_frontend_package', 'static')
