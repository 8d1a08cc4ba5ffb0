/**
 * Comparisons: a set of inputs run on several versions, with the differences from the first version. Source:
 * docs/spec/compare.md.
 */
import { z } from 'zod'
import { JOB_STATES } from './job.ts'
import { jobFilterBody } from './job-routes.ts'
import { limit } from './limits.ts'
import { DELETE, done, GET, moment, POST, type Route, wholeNumber, wholeNumberTo } from './routes.ts'

/** All versions at once; or a search for the first that differs in an ordered list. */
const COMPARISON_MODES = ['compare', 'bisect'] as const

export type ComparisonMode = (typeof COMPARISON_MODES)[number]

const share = z.number().min(0).max(1)

/** Rules for equality. Without any, outputs must be exactly equal. */
const comparisonRules = z.strictObject({
  absolute: z.number().min(0).optional().describe('absolute tolerance for numbers'),
  relative: share.optional().describe('relative tolerance for numbers, as a share of the larger one'),
  ignore: z
    .array(z.string().min(1).max(200))
    .max(100)
    .optional()
    .describe('paths in the output that are left out, like `meta.seed`, `steps.*.ms`, `**.id`'),
  distance: z.number().min(0).max(255).optional().describe('difference of one colour above which a pixel differs'),
  pixels: share.optional().describe('share of pixels that may differ'),
  similarity: share.optional().describe('minimum structural similarity (SSIM) of pictures'),
  slower: z.number().gt(1).max(1000).optional().describe('a job differs if it ran this many times as long'),
})

export type ComparisonRules = z.infer<typeof comparisonRules>

const comparisonVersion = z.strictObject({
  name: z.string().trim().min(1).max(100).optional().describe('as it is shown (default: the endpoint)'),
  endpoint: z.string().min(1).max(100).describe('id or name of an endpoint'),
  image: z.string().min(1).max(500).optional().describe('another image: a copy of the endpoint runs it'),
  set: z
    .record(z.string().min(1).max(500), z.string().max(10_000))
    .refine((values) => Object.keys(values).length <= 50, 'must have at most 50 values')
    .optional()
    .describe('values of the input: NODE.INPUT of a graph, or a path; each is JSON, or a text'),
})

export type ComparisonVersion = z.infer<typeof comparisonVersion>

const comparisonCreate = z
  .strictObject({
    name: z.string().trim().min(1).max(100).optional(),
    mode: z.enum(COMPARISON_MODES).default('compare'),
    versions: z
      .array(comparisonVersion)
      .min(2, 'must be two or more')
      .max(limit('comparisonVersions'), `must be at most ${limit('comparisonVersions')}`)
      .describe('the first is what the others are compared with; for a bisection in their order'),
    filter: jobFilterBody.optional().describe('the inputs of stored jobs'),
    ids: z.array(z.string().max(100)).min(1).max(limit('comparisonItems')).optional(),
    file: z
      .string()
      .max(limit('comparisonFileBytes'))
      .optional()
      .describe('lines of JSON with an `input`: bodies of run, an export of jobs, or exported job files'),
    rules: comparisonRules.default({}),
    atOnce: z
      .number()
      .int()
      .min(1)
      .max(limit('comparisonJobsAtOnce'))
      .default(16)
      .describe('jobs that are queued or running at a time'),
  })
  .refine(({ filter, ids, file }) => [filter, ids, file].filter((one) => one !== undefined).length === 1, {
    path: ['filter'],
    message: 'give one of filter, ids and file',
  })

export type ComparisonCreate = z.infer<typeof comparisonCreate>

const DIFFERENCE_KINDS = ['state', 'missing', 'added', 'value', 'text', 'picture', 'time'] as const

const difference = z.object({
  path: z.string().describe('like `steps[2].seed`; empty: all of it'),
  kind: z.enum(DIFFERENCE_KINDS),
  text: z.string().describe('what differs, for a person; of texts their changed lines'),
  score: z.number().describe('0 to 1, of a state 2'),
  picture: z
    .object({
      share: z.number().describe('of pixels that differ'),
      distance: z.number().describe('the largest, of one colour, 0 to 255'),
      similarity: z.number().describe('structural similarity, 1 for the same'),
    })
    .optional(),
})

export type Difference = z.infer<typeof difference>

const OUTCOMES = ['same', 'differs', 'failed'] as const

const comparisonRow = z.object({
  item: z.number().int().describe('number of the input, from 1'),
  source: z.string().describe('the job or the line of the file that it is of'),
  version: z.number().int().describe('place in the list of versions, from 0'),
  outcome: z.enum(OUTCOMES),
  reason: z.string().optional().describe('why it could not be compared'),
  score: z.number().describe('the largest of its differences'),
  count: z.number().int().describe('of differences'),
  differences: z.array(difference).describe('the largest first'),
  jobId: z.string().optional(),
  referenceJobId: z.string().optional().describe('its job on the first version'),
  status: z.enum(JOB_STATES).optional(),
  ms: z.number().int().optional().describe('execution time'),
  referenceMs: z.number().int().optional(),
})

export type ComparisonRow = z.infer<typeof comparisonRow>

const versionView = comparisonVersion.extend({
  name: z.string(),
  copy: z.string().optional().describe('id of the endpoint that was made for its image'),
  ended: z.number().int().describe('inputs that have ended on it'),
  same: z.number().int(),
  differs: z.number().int(),
  failed: z.number().int().describe('inputs that could not be compared'),
  p50Ms: z.number().optional().describe('of execution times'),
  p95Ms: z.number().optional(),
})

const verdict = z.object({
  result: z.enum(['same', 'differs', 'incomplete']),
  firstDiffering: z.number().int().optional().describe('of a bisection: place of the first version that differs'),
  text: z.string(),
})

export type ComparisonVerdict = z.infer<typeof verdict>

const comparisonView = z.object({
  id: z.string(),
  name: z.string(),
  mode: z.enum(COMPARISON_MODES),
  state: z.enum(['running', 'done', 'stopped']),
  createdAt: moment,
  endedAt: moment.optional(),
  items: z.number().int().describe('inputs'),
  versions: z.array(versionView),
  rounds: z.array(z.number().int()).describe('of a bisection: places of the versions that were run, in order'),
  rules: comparisonRules,
  verdict: verdict.optional().describe('missing while it runs'),
})

export type ComparisonView = z.infer<typeof comparisonView>

const COMPARISON = '/api/comparisons/:comparisonId'

export const COMPARISON_ROUTES = {
  comparisonList: GET('/api/comparisons', 'List comparisons, newest first', {
    response: z.object({ comparisons: z.array(comparisonView) }),
  }),
  comparisonCreate: POST(
    '/api/comparisons',
    'Run inputs on several versions and compare the outputs; a version with an image needs the role deploy',
    {
      role: 'run',
      body: comparisonCreate,
      bodyLimit: { bytes: 2 * limit('comparisonFileBytes'), name: 'this operation' },
      response: comparisonView,
      errors: [
        'NOT_JSON',
        'BAD_FIELD',
        'BODY_TOO_LARGE',
        'ENDPOINT_NOT_FOUND',
        'NOT_QUEUE_BASED',
        'TOO_MANY_COMPARISONS',
        'FORBIDDEN_ROLE',
      ],
    },
  ),
  comparisonRead: GET(COMPARISON, 'Read a comparison: its progress and its verdict', {
    response: comparisonView,
    errors: ['COMPARISON_NOT_FOUND'],
  }),
  comparisonRows: GET(`${COMPARISON}/rows`, 'List the results of a comparison by input, the worst first', {
    query: {
      version: wholeNumber.optional().describe('only of this version'),
      limit: wholeNumberTo(limit('listPageMax')).optional(),
      offset: wholeNumber.optional(),
    },
    response: z.object({ rows: z.array(comparisonRow), more: z.boolean() }),
    errors: ['COMPARISON_NOT_FOUND', 'BAD_FIELD'],
  }),
  comparisonStop: POST(`${COMPARISON}/stop`, 'Stop a comparison, and cancel its jobs that have not ended', {
    role: 'run',
    response: comparisonView,
    errors: ['COMPARISON_NOT_FOUND'],
  }),
  comparisonDelete: DELETE(
    COMPARISON,
    'Delete a comparison, with the endpoints that were made for its images; other jobs stay',
    { role: 'run', response: done, errors: ['COMPARISON_NOT_FOUND'] },
  ),
} as const satisfies Record<string, Route>
