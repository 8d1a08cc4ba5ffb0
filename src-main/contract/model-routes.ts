/** The routes of models: what is installed, downloads, folders and credentials. Names are ours. */
import { z } from 'zod'
import {
  modelCredentialsPut,
  modelCredentialsView,
  modelDownload,
  modelDownloadCreate,
  modelFoldersUpdate,
  modelFolderView,
  modelNews,
  modelUse,
  modelView,
} from './models.ts'
import type { Route } from './routes.ts'

const done = z.object({ ok: z.literal(true) })
const folders = z.object({
  folders: z.array(modelFolderView),
  configFile: z.string().describe('extra_model_paths.yaml for a ComfyUI of this machine'),
})
const SOURCE = 'ours, in the layout of ComfyUI'

/** Part of the management API. */
export const MODEL_ROUTES = {
  modelList: {
    methods: ['GET'],
    path: '/api/models',
    summary: 'List the models of this machine, with what their files tell',
    answer: z.object({
      models: z.array(modelView),
      more: z.boolean().describe('there are more than are listed'),
      revision: z.number().int(),
    }),
    errors: [],
    source: SOURCE,
  },
  modelUses: {
    methods: ['GET'],
    path: '/api/models/uses',
    summary: 'What names which model: workflows of the library, published graphs and the newest runs',
    answer: z.object({ uses: z.record(z.string(), z.array(modelUse)).describe('by the name that graphs use') }),
    errors: [],
    source: SOURCE,
  },
  modelRemove: {
    methods: ['POST'],
    path: '/api/models/remove',
    summary: 'Delete the file of a model; of a link the link alone',
    body: modelView.pick({ folder: true, directory: true, name: true }).strict(),
    answer: done,
    errors: ['NOT_JSON', 'BAD_FIELD', 'MODEL_NOT_FOUND', 'MODEL_UNWRITABLE'],
    source: SOURCE,
  },
  modelDownloadList: {
    methods: ['GET'],
    path: '/api/models/downloads',
    summary: 'The downloads of models, the newest first; follow=true tells what changes, as events `models`',
    query: { follow: z.enum(['true', 'false']).optional().describe('keep the answer open as server-sent events') },
    answer: modelNews,
    errors: ['BAD_FIELD'],
    source: SOURCE,
  },
  modelDownloadCreate: {
    methods: ['POST'],
    path: '/api/models/downloads',
    summary: 'Download a model; it goes on after a break and after a restart of the service',
    body: modelDownloadCreate,
    answer: modelDownload,
    errors: ['NOT_JSON', 'BAD_FIELD', 'MODEL_EXISTS', 'MODEL_UNWRITABLE'],
    source: SOURCE,
  },
  modelDownloadRetry: {
    methods: ['POST'],
    path: '/api/models/downloads/:downloadId/retry',
    summary: 'Try a download that failed or was cancelled again, from where it ended',
    answer: modelDownload,
    errors: ['DOWNLOAD_NOT_FOUND', 'MODEL_EXISTS'],
    source: SOURCE,
  },
  modelDownloadCancel: {
    methods: ['POST'],
    path: '/api/models/downloads/:downloadId/cancel',
    summary: 'Cancel a download; what came of it is deleted',
    answer: modelDownload,
    errors: ['DOWNLOAD_NOT_FOUND'],
    source: SOURCE,
  },
  modelDownloadRemove: {
    methods: ['DELETE'],
    path: '/api/models/downloads/:downloadId',
    summary: 'Take a download that has ended from the list; the model stays',
    answer: done,
    errors: ['DOWNLOAD_NOT_FOUND', 'BAD_FIELD'],
    source: SOURCE,
  },
  modelFolderList: {
    methods: ['GET'],
    path: '/api/models/folders',
    summary: 'The folders of models',
    answer: folders,
    errors: [],
    source: SOURCE,
  },
  modelFoldersSet: {
    methods: ['POST'],
    path: '/api/models/folders',
    summary: 'Set the folders of models; workers that start from now on have these',
    body: modelFoldersUpdate,
    answer: folders,
    errors: ['NOT_JSON', 'BAD_FIELD'],
    source: SOURCE,
  },
  modelCredentialsList: {
    methods: ['GET'],
    path: '/api/models/credentials',
    summary: 'The hosts whose credentials are stored',
    answer: z.object({ credentials: z.array(modelCredentialsView) }),
    errors: [],
    source: SOURCE,
  },
  modelCredentialsPut: {
    methods: ['POST'],
    path: '/api/models/credentials',
    summary: 'Store credentials of a host, encrypted; they are sent to this host alone and never shown',
    body: modelCredentialsPut,
    answer: modelCredentialsView,
    errors: ['NOT_JSON', 'BAD_FIELD'],
    source: SOURCE,
  },
  modelCredentialsRemove: {
    methods: ['DELETE'],
    path: '/api/models/credentials/:host',
    summary: 'Forget the credentials of a host',
    answer: done,
    errors: ['CREDENTIALS_NOT_FOUND'],
    source: SOURCE,
  },
} as const satisfies Record<string, Route>
