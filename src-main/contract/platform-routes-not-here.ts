/** Addresses of the platform's management API that do not apply to one machine: the response says why. */
import { z } from 'zod'
import type { Route } from './routes.ts'

const NOT_HERE = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  response: z.undefined(),
  errors: ['NOT_ON_THIS_MACHINE'],
  source: 'docs/spec/platform.md, 5: public clients ask for it',
} as const

export const ROUTES_NOT_HERE = {
  globalVolumeList: { ...NOT_HERE, path: '/v2/global-volumes', summary: 'Global volumes: not on one machine' },
  globalVolumeRead: { ...NOT_HERE, path: '/v2/global-volumes/:id', summary: 'A global volume: not on one machine' },
  sshKeys: { ...NOT_HERE, path: '/v2/account/ssh-keys', summary: 'SSH keys: not on one machine' },
  clusterList: { ...NOT_HERE, path: '/v2/clusters', summary: 'Clusters: not on one machine' },
  clusterRead: { ...NOT_HERE, path: '/v2/clusters/:id', summary: 'A cluster: not on one machine' },
  clusterPods: { ...NOT_HERE, path: '/v2/clusters/:id/pods', summary: 'Pods of a cluster: not on one machine' },
  billing: { ...NOT_HERE, path: '/v2/billing', summary: 'Bills: not on one machine' },
  billingOf: { ...NOT_HERE, path: '/v2/billing/:of', summary: 'Bills of something: not on one machine' },
  buildList: { ...NOT_HERE, path: '/v2/serverless/:id/builds', summary: 'Builds of a repository: not on one machine' },
  buildRead: { ...NOT_HERE, path: '/v2/serverless/:id/builds/:buildId', summary: 'A build: not on one machine' },
  delegationList: { ...NOT_HERE, path: '/v2/registries/delegations', summary: 'Delegations: not on one machine' },
  delegationRead: { ...NOT_HERE, path: '/v2/registries/delegations/:id', summary: 'A delegation: not on one machine' },
} as const satisfies Record<string, Route>

export const NOT_HERE_PATHS: readonly string[] = Object.values(ROUTES_NOT_HERE)
  .map(({ path }) => path)
  .filter((path, _at, all) => !all.some((other) => path.startsWith(`${other}/`)))
