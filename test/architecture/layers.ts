/** A layer of src-main: which files it holds, and which layers they may import. */
export interface Layer {
  /** Matches paths below src-main. No file matches two layers. */
  readonly files: string
  readonly imports: readonly string[]
  /** Layers of which types may be imported, and nothing that runs. */
  readonly types?: readonly string[]
  /** A path below src-main that a planted test may take. */
  readonly example: string
}

const PURE = ['contract', 'lib']
const ROLES =
  'rules(/|[.]ts$)|ports(/|[.]ts$)|(store/|[^/]*store[.]ts$)|(routes/|[^/]*routes[.]ts$)|command(s/|[.]ts$)|feature[.]ts$|(tools/|[^/]*tools[.]ts$)|adapters/'
const role = (pattern: string) => `^features/[^/]+/(${pattern})`

/**
 * Who may import whom in src-main. An allow list: a layer that a row does not name is forbidden, and a file without a
 * layer fails. This is the only copy; the rules and their tests are computed from it.
 */
export const LAYERS = {
  lib: { files: '^lib/(?!node/)', imports: [], example: 'lib/example.ts' },
  'lib/node': { files: '^lib/node/', imports: ['lib'], example: 'lib/node/example.ts' },
  contract: { files: '^contract/', imports: ['lib'], example: 'contract/example.ts' },
  rules: {
    files: '^(features/[^/]+|runtimes)/rules(/|[.]ts$)',
    imports: PURE,
    example: 'features/other/rules.ts',
  },
  // External needs of services, as types.
  ports: {
    files: '^features/[^/]+/ports(/|[.]ts$)|^runtimes/port[.]ts$',
    imports: [...PURE, 'rules'],
    types: ['storage types'],
    example: 'features/other/ports.ts',
  },
  services: {
    files: `^features/[^/]+[.]ts$|^features/[^/]+/(?!${ROLES})`,
    imports: [...PURE, 'rules', 'ports', 'storage types', 'body text'],
    example: 'features/other/serve.ts',
  },
  stores: {
    files: role('store/|[^/]*store[.]ts$'),
    imports: [...PURE, 'rules', 'database'],
    example: 'features/other/store.ts',
  },
  routes: {
    files: role('routes/|[^/]*routes[.]ts$'),
    imports: [...PURE, 'rules', 'ports', 'services', 'storage types', 'http', 'body text'],
    example: 'features/other/routes.ts',
  },
  commands: {
    files: role('command(s/|[.]ts$)'),
    imports: [
      ...[...PURE, 'lib/node', 'rules', 'adapters', 'shipped files', 'http', 'client', 'cli', 'mcp', 'app builder'],
      ...['headless', 'composition'],
    ],
    example: 'features/other/command.ts',
  },
  tools: {
    files: role('tools/|[^/]*tools[.]ts$'),
    imports: [...PURE, 'rules', 'client', 'mcp'],
    example: 'features/other/tools.ts',
  },
  // Programs, files, threads and requests of a feature.
  adapters: {
    files: role('adapters/'),
    imports: [...PURE, 'lib/node', 'rules', 'ports', 'body text'],
    example: 'features/other/adapters/example.ts',
  },
  // Services, adapters and routes of a feature that loads when first used.
  'optional features': {
    files: role('feature[.]ts$'),
    imports: [...PURE, 'ports', 'services', 'adapters', 'storage types', 'shipped files', 'http', 'routes'],
    example: 'features/other/feature.ts',
  },
  database: {
    files: '^database/',
    imports: [...PURE, 'rules'],
    types: ['stores'],
    example: 'database/example.ts',
  },
  // All stores, joined.
  storage: {
    files: '^storage/(?!storage[.]ts$)',
    imports: [...PURE, 'rules', 'database', 'stores'],
    example: 'storage/example.ts',
  },
  'storage types': {
    files: '^storage/storage[.]ts$',
    imports: [],
    types: ['storage', 'stores', 'database'],
    example: 'storage/storage.ts',
  },
  // Files that are shipped with the product.
  'shipped files': {
    files: '^shipped-files/',
    imports: [...PURE, 'rules', 'ports'],
    example: 'shipped-files/example.ts',
  },
  runtimes: {
    files: '^runtimes/(?!rules/|port[.]ts$)',
    imports: [...PURE, 'lib/node', 'rules', 'ports', 'storage types', 'shipped files'],
    example: 'runtimes/example.ts',
  },
  http: {
    files: '^http/(?!body-text[.]ts$)',
    imports: [...PURE, 'rules', 'ports', 'services', 'storage types', 'body text'],
    example: 'http/example.ts',
  },
  'body text': { files: '^http/body-text[.]ts$', imports: PURE, example: 'http/body-text.ts' },
  // The one client of the API, for commands, agents, the desktop and the pages: it knows nothing of a service.
  client: { files: '^app/client/', imports: [...PURE, 'rules'], example: 'app/client/example.ts' },
  // The frame of tools for coding agents, which call the service over HTTP as commands do.
  mcp: { files: '^app/mcp/', imports: [...PURE, 'rules', 'client', 'tools'], example: 'app/mcp/example.ts' },
  // Builds apps without a service, so that the command line need not load one.
  'app builder': {
    files: '^app/app-builder/',
    imports: [...PURE, 'rules', 'ports', 'services', 'adapters', 'shipped files', 'runtimes'],
    example: 'app/app-builder/example.ts',
  },
  composition: {
    files: '^app/(?!(app-builder|cli|client|desktop|headless|http|mcp)/)',
    imports: [
      ...PURE,
      'lib/node',
      'rules',
      'ports',
      'services',
      'adapters',
      'database',
      'storage',
      'storage types',
      'runtimes',
      'shipped files',
      'optional features',
    ],
    example: 'app/core.ts',
  },
  // All routes, joined.
  'app http': {
    files: '^app/http/',
    imports: [...PURE, 'rules', 'ports', 'services', 'storage types', 'http', 'body text', 'routes'],
    types: ['composition'],
    example: 'app/http/example.ts',
  },
  headless: {
    files: '^app/headless/',
    imports: [
      ...[...PURE, 'lib/node', 'rules', 'client', 'mcp', 'composition', 'app builder', 'app http', 'http', 'routes'],
      ...['adapters', 'shipped files'],
    ],
    example: 'app/headless/example.ts',
  },
  cli: {
    files: '^app/cli/',
    imports: [
      ...[
        ...PURE,
        'lib/node',
        'rules',
        'adapters',
        'shipped files',
        'http',
        'client',
        'mcp',
        'app builder',
        'headless',
        'commands',
      ],
    ],
    example: 'app/cli/example.ts',
  },
  // It finds its service, and adds the sample to it, as the command line does.
  desktop: {
    files: '^app/desktop/',
    imports: [...PURE, 'rules', 'client', 'composition', 'headless', 'http', 'cli'],
    example: 'app/desktop/example.ts',
  },
} satisfies Readonly<Record<string, Layer>>

export type LayerName = keyof typeof LAYERS

/**
 * Who may import whom in resources/node, one row per folder; of src-main only pure layers. A handler may be copied out
 * of here by users as an example, so that the runtime knows of nothing but itself.
 */
export const NODE_WORKERS: Readonly<Record<string, readonly string[]>> = {
  'svc-worker': [],
  sketch: ['svc-worker', 'lib', 'contract', 'rules'],
  comfyui: ['svc-worker', 'lib', 'contract', 'rules'],
}

/** Layers of src-main that the pages may import; of the client all but what needs Node. */
export const RENDERER_MAY_IMPORT: readonly LayerName[] = ['lib', 'contract', 'rules']
export const CALLS = 'src-main/app/client/calls.ts'

/**
 * Who may import whom in src-renderer, one row per top folder or file; as above, what a row does not name is forbidden.
 */
export const RENDERER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  'addresses.ts': [],
  browser: [],
  'api-client': ['browser'],
  store: ['api-client', 'browser'],
  live: ['api-client', 'browser', 'store'],
  ui: ['addresses.ts', 'browser', 'store'],
  features: ['addresses.ts', 'api-client', 'browser', 'live', 'store', 'ui'],
  app: ['addresses.ts', 'api-client', 'browser', 'features', 'store', 'ui'],
  'main.ts': ['api-client', 'app', 'browser', 'live', 'store', 'styles'],
  styles: [],
  'vite.config.ts': [],
}

/** Features that show parts of others; no other feature knows of another. */
export const FEATURES_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  endpoints: ['requests', 'jobs', 'workers'],
  // The state of a worker, in the same words.
  machines: ['workers'],
  // The state of an endpoint, in the same words.
  apps: ['endpoints'],
  // The state of an endpoint that graphs are run on, in the same words.
  'workflow-editor': ['apps', 'endpoints'],
  // The library opens files and tabs as the editor does; a published graph is run by its form.
  workflows: ['workflow-editor', 'requests'],
}

/** Entries of src-renderer that are no code. */
export const RENDERER_FILES_WITHOUT_A_ROW: readonly string[] = ['README.md', 'icon.svg', 'index.html', 'tsconfig.json']

/**
 * Files of a feature, without `.ts`, that the others may import in addition to its rules, and nothing else. A file that
 * no other imports fails.
 */
export const SHARED_BY_FEATURES: Readonly<Record<string, readonly string[]>> = {
  agents: [],
  system: [],
  'load-tests': [],
  schedules: [],
  targets: [],
  apps: [
    'adapters/installer',
    'adapters/unpack-artifact',
    'adapters/unpack-in-thread',
    'adapters/watch-project',
    'commands/deploy/deploy-image',
    'environment-endpoints',
    'environments',
    'plan-release',
    'ports/build',
    'release-source',
    'releases',
    'variables',
    'views',
  ],
  batches: ['batches'],
  'comfyui-api': [],
  comparisons: ['require-comparison'],
  endpoints: [
    'kinds/endpoint-kinds',
    'commands/endpoint-options',
    'commands/show-endpoint',
    'commands/worker-repository',
    'endpoints',
    'routes',
    'views',
  ],
  jobs: [
    'again/run-jobs-again',
    'commands/confirm-cancel',
    'commands/follow-job',
    'commands/job-request',
    'commands/job',
    'commands/jobs',
    'commands/show-job',
    'list-jobs',
    'ports/readers',
    'queue/change-job',
    'queue/change-many-jobs',
    'queue/leases',
    'queue/lost-and-overdue-jobs',
    'queue/lost-chunks',
    'queue/parked-takes',
    'queue/read-dispatches',
    'queue/queue-counts',
    'queue/submit',
    'queue/wait-for-job',
    'routes/cancel-with-client',
    'routes/job-lines',
    'routes/submission',
    'saved-requests',
    'store/event-store',
    'store/job-filter',
    'store/job-payloads',
    'store/job',
  ],
  keys: ['account-secrets', 'keys'],
  'load-balancing': ['balance-requests', 'watch-health'],
  machines: ['join-machines'],
  models: ['models'],
  monitoring: ['logs/endpoint-log', 'metrics', 'traces', 'worker-logs'],
  'platform-api': ['live-packages', 'records', 'routes/endpoints', 'task-calls'],
  pods: [],
  projects: ['ports'],
  registries: ['registries'],
  settings: ['settings'],
  'what-if': [],
  workers: [
    'inject-faults',
    'read-scaling-facts',
    'ports',
    'registry/exclusive-groups',
    'registry/fleet-status',
    'registry/worker-registry',
    'registry/workflow-servers',
    'replace-by-hand',
    'roll-out-settings',
    'stage-worker',
    'supervise',
    'worker-calls',
  ],
  'worker-images': [
    'commands/build-repository',
    'commands/image',
    'commands/lock',
    'commands/read-lock-file',
    'commands/test-endpoint',
    'commands/test-image',
  ],
  workflows: [
    'adapters/comfy-server',
    'adapters/graph-in-png',
    'adapters/last-types',
    'assets',
    'commands/graph/graph-facts',
    'commands/graph/read-classes',
    'commands/graph/read-graph-file',
    'commands/graph/save-results',
    'commands/graph/set-values',
    'library',
    'ports/readers',
    'published-graphs',
    'routes/assets',
    'runs',
    'submit-graph',
  ],
}

/** Files of src-main that belong to no layer. */
export const FILES_WITHOUT_A_LAYER: readonly string[] = ['vite.config.ts']

/**
 * Layers that know no runtime, with the packages that they may import all the same. jsonc-parser: workflows are read
 * without loss, with key order and numbers as they are written (docs/spec/image-workflows.md, 2.1 and 2.2). croner:
 * times of cron patterns, from a moment that it is given (docs/spec/schedules.md, 2). diff: changed lines of sources.
 * ignore: patterns of ignore files (docs/spec/machines.md, 5). yaml: locks (docs/spec/worker-images.md, 1). pep440,
 * smol-toml: versions and projects of Python. JSON of resources is data, and may be imported by any of
 * them.
 */
export const PURE_LAYERS: Readonly<Partial<Record<LayerName, readonly string[]>>> = {
  lib: ['jsonc-parser'],
  contract: ['zod'],
  rules: ['@renovatebot/pep440', 'croner', 'diff', 'ignore', 'smol-toml', 'yaml'],
}

/** Packages that only these layers or folders may import. */
export const OWNED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['database', 'stores', 'storage'],
  dockerode: ['src-main/runtimes/docker/'],
  '@balena/dockerignore': ['src-main/runtimes/docker/'],
  protobufjs: ['src-main/runtimes/docker/'],
  electron: ['desktop'],
  'electron-updater': ['desktop'],
  hono: ['http', 'app http', 'routes'],
  graphql: ['src-main/features/platform-api/routes/state-manager/'],
  '@opentelemetry/api': ['src-main/features/monitoring/adapters/'],
  '@opentelemetry/exporter-trace-otlp-proto': ['src-main/features/monitoring/adapters/'],
  '@opentelemetry/resources': ['src-main/features/monitoring/adapters/'],
  '@opentelemetry/sdk-trace': ['src-main/features/monitoring/adapters/'],
  '@hono/node-server': ['src-main/http/server/'],
  commander: ['cli', 'commands'],
  '@clack/prompts': ['cli'],
  yaml: ['commands', 'rules'],
  '@modelcontextprotocol/server': ['mcp'],
  react: ['src-renderer/'],
  'react-dom': ['src-renderer/'],
  wouter: ['src-renderer/'],
  zustand: ['src-renderer/'],
  '@tanstack/react-query': ['src-renderer/'],
  '@tanstack/react-table': ['src-renderer/ui/table/'],
  uplot: ['src-renderer/ui/chart/'],
  '@codemirror/view': ['src-renderer/ui/editor/'],
  '@xterm/xterm': ['src-renderer/ui/XtermView.tsx'],
  '@xterm/addon-fit': ['src-renderer/ui/XtermView.tsx'],
  '@radix-ui': ['src-renderer/'],
  '@xyflow/react': ['src-renderer/'],
  'markdown-to-jsx': ['src-renderer/features/workflow-editor/notes/'],
  '@dagrejs/dagre': ['src-renderer/ui/graph/'],
  'd3-hierarchy': ['src-renderer/ui/Treemap.tsx'],
}
