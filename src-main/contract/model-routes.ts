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
import { done, type Route } from './routes.ts'

const folders = z.object({
  folders: z.array(modelFolderView),
  configFile: z.string().describe('extra_model_paths.yaml for a ComfyUI of this machine'),
})

export const MODEL_ROUTES = {
  modelList: {
    methods: ['GET'],
    path: '/api/models',
    summary: 'List the models of this machine, with details from their files',
    response: z.object({
      models: z.array(modelView),
      more: z.boolean().describe('there are more than are listed'),
      revision: z.number().int(),
    }),
  },
  modelUses: {
    methods: ['GET'],
    path: '/api/models/uses',
    summary: 'List the workflows, published graphs and newest runs that use each model',
    response: z.object({ uses: z.record(z.string(), z.array(modelUse)).describe('by the name that graphs use') }),
  },
  modelRemove: {
    methods: ['POST'],
    path: '/api/models/remove',
    summary: 'Delete a model file; if it is a symbolic link, delete only the link',
    body: modelView.pick({ folder: true, directory: true, name: true }).strict(),
    response: done,
    errors: ['NOT_JSON', 'BAD_FIELD', 'MODEL_NOT_FOUND', 'MODEL_UNWRITABLE'],
  },
  modelDownloadList: {
    methods: ['GET'],
    path: '/api/models/downloads',
    summary: 'List the downloads of models, newest first; with follow=true as events',
    query: { follow: z.enum(['true', 'false']).optional().describe('keep the response open as server-sent events') },
    response: modelNews,
    errors: ['BAD_FIELD'],
  },
  modelDownloadCreate: {
    methods: ['POST'],
    path: '/api/models/downloads',
    summary: 'Download a model; it continues after a lost connection and after a restart of the service',
    body: modelDownloadCreate,
    response: modelDownload,
    errors: ['NOT_JSON', 'BAD_FIELD', 'MODEL_EXISTS', 'MODEL_UNWRITABLE'],
  },
  modelDownloadRetry: {
    methods: ['POST'],
    path: '/api/models/downloads/:downloadId/retry',
    summary: 'Resume a failed or cancelled download',
    response: modelDownload,
    errors: ['DOWNLOAD_NOT_FOUND', 'MODEL_EXISTS'],
  },
  modelDownloadCancel: {
    methods: ['POST'],
    path: '/api/models/downloads/:downloadId/cancel',
    summary: 'Cancel a download and delete the partial file',
    response: modelDownload,
    errors: ['DOWNLOAD_NOT_FOUND'],
  },
  modelDownloadRemove: {
    methods: ['DELETE'],
    path: '/api/models/downloads/:downloadId',
    summary: 'Remove an ended download from the list; the model stays',
    response: done,
    errors: ['DOWNLOAD_NOT_FOUND', 'BAD_FIELD'],
  },
  modelFolderList: {
    methods: ['GET'],
    path: '/api/models/folders',
    summary: 'List the model folders',
    response: folders,
  },
  modelFoldersSet: {
    methods: ['POST'],
    path: '/api/models/folders',
    summary: 'Set the model folders; applies to workers started afterwards',
    body: modelFoldersUpdate,
    response: folders,
    errors: ['NOT_JSON', 'BAD_FIELD'],
  },
  modelCredentialsList: {
    methods: ['GET'],
    path: '/api/models/credentials',
    summary: 'List the hosts with stored credentials',
    response: z.object({ credentials: z.array(modelCredentialsView) }),
  },
  modelCredentialsPut: {
    methods: ['POST'],
    path: '/api/models/credentials',
    summary: 'Store credentials for a host, encrypted; they are sent to this host only and never shown',
    role: 'admin',
    body: modelCredentialsPut,
    response: modelCredentialsView,
    errors: ['NOT_JSON', 'BAD_FIELD'],
  },
  modelCredentialsRemove: {
    methods: ['DELETE'],
    path: '/api/models/credentials/:host',
    summary: 'Remove the credentials for a host',
    role: 'admin',
    response: done,
    errors: ['CREDENTIALS_NOT_FOUND'],
  },
} as const satisfies Record<string, Route>
