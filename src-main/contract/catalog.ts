/**
 * Files of resources/catalog, plus requirements missing on this machine. Source: docs/spec/image-workflows.md, 6;
 * otherwise ours.
 */
import { z } from 'zod'
import { GET, type Route } from './routes.ts'

/** Entry of the sample handler, and id of the endpoint created at first start. */
export const HELLO = 'hello'
export const HELLO_INPUT = { name: 'world' } as const
/** Catalog entry and endpoint id of the stand-in that runs image workflows without a model. */
export const SKETCH = 'sketch'

const settings = z.record(z.string(), z.unknown())

/** A file of resources/catalog. Facts that its publisher does not state are left out, not guessed. */
export const catalogFile = z
  .strictObject({
    name: z.string().min(1).max(100),
    summary: z.string().min(1).max(200),
    image: z.string().min(1).optional(),
    handler: z.string().min(1).optional().describe('path of a handler file within resources'),
    platform: z.literal('linux/amd64').optional().describe('the only one that the image is made for'),
    model: z.string().min(1).optional().describe('the model in the image'),
    licence: z.string().min(1).describe('what to know before it is used'),
    classes: z
      .literal('comfyui')
      .optional()
      .describe(
        'classes of nodes that it has: those that come with a ComfyUI server, as resources/node-types.json has them',
      ),
    gpuMemoryGb: z.number().positive().optional().describe('minimum memory of the GPU'),
    diskGb: z.number().positive().optional().describe('size of the container disk'),
    settings: settings.describe('of the endpoint, other than its name and program'),
    env: z.array(z.strictObject({ name: z.string(), about: z.string() })).describe('variables that it knows'),
    example: z.record(z.string(), z.unknown()).describe('body of a request that it answers'),
  })
  .refine(({ image, handler }) => (image === undefined) !== (handler === undefined), {
    message: 'give exactly one of image and handler',
  })

export type CatalogFile = z.infer<typeof catalogFile>

export const missingPart = z.object({
  what: z.string().describe('what is missing, as the machine tells it'),
  fix: z.string().describe('how to get it'),
})

export type MissingPart = z.infer<typeof missingPart>

export const catalogEntry = z.object({
  ...catalogFile.shape,
  id: z.string().describe('also the id that its endpoint would have'),
  settings: settings.describe('body of `create an endpoint`, without id and name'),
  missing: z.array(missingPart).describe('none: this machine can run it'),
})

export type CatalogEntry = z.infer<typeof catalogEntry>

export const CATALOG_ROUTES = {
  catalogList: GET('/api/catalog', 'List ready-made endpoints, and what this machine lacks for each', {
    response: z.object({ entries: z.array(catalogEntry) }),
  }),
} as const satisfies Record<string, Route>
