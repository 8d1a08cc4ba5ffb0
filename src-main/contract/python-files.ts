import { z } from 'zod'

const file = z.object({
  url: z.string().optional(),
  path: z.string().optional(),
  name: z.string().optional(),
  size: z.number().optional(),
  hashes: z.object({ sha256: z.string().optional() }).optional(),
})
export const pylock = z.object({
  packages: z
    .array(
      z.object({
        name: z.string(),
        version: z.string().optional(),
        vcs: z
          .object({ type: z.string(), url: z.string(), 'commit-id': z.string(), subdirectory: z.string().optional() })
          .optional(),
        archive: file.optional(),
        sdist: file.optional(),
        wheels: z.array(file).default([]),
      }),
    )
    .default([]),
})

const project = z.looseObject({
  name: z.string().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  dependencies: z.array(z.string()).default([]).catch([]),
  'requires-python': z.string().optional().catch(undefined),
  license: z
    .union([z.string(), z.looseObject({ text: z.string().optional(), file: z.string().optional() })])
    .optional()
    .catch(undefined),
})
export const pyproject = z.looseObject({
  project: project.optional(),
  tool: z
    .looseObject({ comfy: z.looseObject({ 'requires-comfyui': z.string().optional().catch(undefined) }).optional() })
    .optional()
    .catch(undefined),
})
