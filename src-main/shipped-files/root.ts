import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Sources and bundles are both two levels below the root.
export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))

export const RESOURCES: string = join(ROOT, 'resources')

export const PYTHON_PACKAGES: string = join(RESOURCES, 'python')
