/**
 * Who may import whom in src-main, one row per top folder or file. An allow list: what a row does not name is
 * forbidden, and a top entry without a row fails. This is the only copy; the rules and their tests are computed from
 * it.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: ['contract'],
  services: ['contract', 'domain'],
  storage: ['contract', 'domain'],
  fleet: ['contract', 'domain', 'services/ports'],
  build: ['contract', 'domain', 'services/ports'],
  // Requests that the service makes, to webhooks and /ping of workers: neither storage nor fleet nor build.
  outbound: ['contract', 'domain', 'services/ports'],
  // Calculations that would hold the event loop, in threads of their own.
  threads: ['contract', 'domain', 'services/ports', 'services/body-text'],
  api: ['contract', 'domain', 'services'],
  // The one client of the API, for commands, the desktop and the pages: it knows the route tables and nothing of a
  // service.
  client: ['contract', 'domain'],
  // Tools for coding agents: it calls the service over HTTP as commands do, and knows nothing of its inside.
  mcp: ['contract', 'domain', 'client'],
  'core.ts': ['contract', 'domain', 'services', 'storage', 'fleet', 'build', 'outbound', 'threads'],
  // Builds apps without a service, so that the command line need not load one.
  'app-builder': ['contract', 'domain', 'services', 'build'],
  // Checks of the machine, run by the command line and by a running service: they ask programs and look at files.
  doctor: ['contract', 'domain'],
  // It gives the core what builds projects; builds stay apart from the core for the sake of the command line.
  server: ['contract', 'domain', 'client', 'mcp', 'core.ts', 'app-builder', 'api', 'doctor'],
  // Outbound: the classes of a ComfyUI server can be had without a service. Threads: pictures are decoded in one place.
  cli: [
    ...['contract', 'domain', 'client', 'mcp', 'core.ts', 'app-builder', 'api', 'doctor', 'server'],
    ...['outbound/comfy-server', 'threads/compare-outputs'],
  ],
  // It finds its service, and adds the sample to it, as the command line does.
  electron: ['contract', 'domain', 'client', 'core.ts', 'server', 'cli/find-service', 'cli/ensure-sample'],
}

/** Files that may import types, and nothing else, from a layer that their own layer may not import. */
export const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = {
  // The types of storage are inferred from its stores.
  'services/ports/storage': ['storage'],
}

/**
 * Files of a feature (`src-main/features/<feature>`) that belong to a layer, by their names below its folder; the others
 * are its services.
 */
export const FEATURE_ROLES: Readonly<Record<string, string>> = {
  domain: 'rules(/|[.]ts$)',
  storage: '[^/]*store[.]ts$',
  api: 'routes[.]ts$',
  cli: 'command(s/|[.]ts$)',
  mcp: 'tools[.]ts$',
}

/**
 * Who may import whom in resources/node, one row per folder, with what each may import of src-main. A handler may be
 * copied out of here by users as an example, so that the runtime knows of nothing but itself.
 */
export const NODE_WORKERS: Readonly<Record<string, readonly string[]>> = {
  'svc-worker': [],
  sketch: ['resources/node/svc-worker', 'src-main/features/keys/rules', 'src-main/contract'],
  comfyui: ['resources/node/svc-worker', 'src-main/features/keys/rules', 'src-main/contract'],
}

/** What the pages may import from src-main: of the client all but what needs Node. */
export const RENDERER_MAY_IMPORT: readonly string[] = ['contract', 'domain', 'client/calls']

/**
 * Who may import whom in src-renderer, one row per top folder or file; as above, what a row does not name is forbidden.
 */
export const RENDERER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  'addresses.ts': [],
  platform: [],
  'api-client': ['platform'],
  store: ['api-client', 'platform'],
  live: ['api-client', 'platform', 'store'],
  ui: ['addresses.ts', 'platform', 'store'],
  features: ['addresses.ts', 'api-client', 'live', 'platform', 'store', 'ui'],
  app: ['addresses.ts', 'api-client', 'features', 'platform', 'store', 'ui'],
  'main.ts': ['api-client', 'app', 'live', 'platform', 'store', 'styles'],
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
  'workflow-editor': ['endpoints'],
  // The library opens files and tabs as the editor does.
  workflows: ['workflow-editor'],
}

/** Entries of src-renderer that are no code. */
export const RENDERER_FILES_WITHOUT_A_ROW: readonly string[] = ['README.md', 'icon.svg', 'index.html', 'tsconfig.json']

/** Entries of src-main that belong to no layer. */
export const TOP_FILES_WITHOUT_A_ROW: readonly string[] = [
  'README.md',
  'features',
  'vite.config.ts',
  'tsconfig.pure.json',
]

/**
 * Layers that know no runtime, with the packages that they may import all the same. jsonc-parser: workflows are read
 * without loss, with key order and numbers as they are written (docs/spec/image-workflows.md, 2.1 and 2.2). croner:
 * times of cron patterns, from a moment that it is given (docs/spec/schedules.md, 2). ignore: patterns of ignore files
 * (docs/spec/machines.md, 5). JSON of resources is data, and may be imported by any of them.
 */
export const PURE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  contract: ['zod'],
  domain: ['croner', 'ignore', 'jsonc-parser'],
}

/** Packages that one place alone may touch. */
export const OWNED_PACKAGES: Readonly<Record<string, string>> = {
  'better-sqlite3': 'src-main/storage/',
  dockerode: 'src-main/runtimes/docker/',
  electron: 'src-main/app/desktop/',
  'electron-updater': 'src-main/app/desktop/',
  hono: 'src-main/api/',
  graphql: 'src-main/features/platform-api/routes/state-manager/',
  '@opentelemetry/api': 'src-main/features/monitoring/adapters/',
  '@opentelemetry/exporter-trace-otlp-proto': 'src-main/features/monitoring/adapters/',
  '@opentelemetry/resources': 'src-main/features/monitoring/adapters/',
  '@opentelemetry/sdk-trace': 'src-main/features/monitoring/adapters/',
  '@hono/node-server': 'src-main/http/server/listen.ts',
  commander: 'src-main/app/cli/',
  '@clack/prompts': 'src-main/app/cli/',
  yaml: 'src-main/app/cli/',
  '@modelcontextprotocol/server': 'src-main/app/mcp/',
  react: 'src-renderer/',
  'react-dom': 'src-renderer/',
  wouter: 'src-renderer/',
  zustand: 'src-renderer/',
  '@tanstack/react-query': 'src-renderer/',
  '@tanstack/react-table': 'src-renderer/ui/table/',
  uplot: 'src-renderer/ui/chart/',
  '@codemirror/view': 'src-renderer/ui/editor/',
  '@xterm/xterm': 'src-renderer/ui/terminal/',
  '@xterm/addon-fit': 'src-renderer/ui/terminal/',
  '@radix-ui': 'src-renderer/',
  '@xyflow/react': 'src-renderer/',
  'markdown-to-jsx': 'src-renderer/features/workflow-editor/notes/',
  '@dagrejs/dagre': 'src-renderer/ui/graph/',
  'd3-hierarchy': 'src-renderer/ui/treemap/',
}
