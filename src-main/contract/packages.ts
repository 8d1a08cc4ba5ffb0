import { z } from 'zod'

const NAME = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?'
const VERSION = String.raw`\s*(?:===|~=|==|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+\s*`
const PACKAGE = new RegExp(`^${NAME}(?:\\[${NAME}(?:,${NAME})*\\])?(?:${VERSION}(?:,${VERSION})*)?$`)

/** A package with extras and versions in the form of PEP 508; no address, path or installer option. */
export const packageWish = z
  .string()
  .max(200)
  .regex(PACKAGE, 'must be the name of a package, like pillow, torch==2.5.1 or "uvicorn[standard]>=0.30"')

export const packageInstall = z.object({
  packages: z.array(z.string()),
  environment: z.string().describe('folder of the virtual environment'),
  state: z.enum(['running', 'done', 'failed']),
  line: z.string().optional().describe('the last line of the installer'),
  why: z.string().optional().describe('why it failed'),
})

export type PackageInstall = z.infer<typeof packageInstall>
