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
import { DELETE, done, GET, POST, type Route } from './routes.ts'

const folders = z.object({
  folders: z.array(modelFolderView),
  configFile: z.string().describe('extra_model_paths.yaml for a ComfyUI of this machine'),
})

export const MODEL_ROUTES = {
  modelList: GET('/api/models', 'List the models of this machine, with details from their files', {
    response: z.object({
      models: z.array(modelView),
      more: z.boolean().describe('there are more than are listed'),
      revision: z.number().int(),
    }),
  }),
  modelUses: GET('/api/models/uses', 'List the workflows, published graphs and newest runs that use each model', {
    response: z.object({ uses: z.record(z.string(), z.array(modelUse)).describe('by the name that graphs use') }),
  }),
  modelRemove: POST('/api/models/remove', 'Delete a model file; if it is a symbolic link, delete only the link', {
    body: modelView.pick({ folder: true, directory: true, name: true }).strict(),
    response: done,
    errors: ['NOT_JSON', 'BAD_FIELD', 'MODEL_NOT_FOUND', 'MODEL_UNWRITABLE'],
  }),
  modelDownloadList: GET(
    '/api/models/downloads',
    'List the downloads of models, newest first; with follow=true as events',
    {
      query: { follow: z.enum(['true', 'false']).optional().describe('keep the response open as server-sent events') },
      response: modelNews,
      errors: ['BAD_FIELD'],
    },
  ),
  modelDownloadCreate: POST(
    '/api/models/downloads',
    'Download a model; it continues after a lost connection and after a restart of the service',
    {
      body: modelDownloadCreate,
      response: modelDownload,
      errors: ['NOT_JSON', 'BAD_FIELD', 'MODEL_EXISTS', 'MODEL_UNWRITABLE'],
    },
  ),
  modelDownloadRetry: POST('/api/models/downloads/:downloadId/retry', 'Resume a failed or cancelled download', {
    response: modelDownload,
    errors: ['DOWNLOAD_NOT_FOUND', 'MODEL_EXISTS'],
  }),
  modelDownloadCancel: POST(
    '/api/models/downloads/:downloadId/cancel',
    'Cancel a download and delete the partial file',
    { response: modelDownload, errors: ['DOWNLOAD_NOT_FOUND'] },
  ),
  modelDownloadRemove: DELETE(
    '/api/models/downloads/:downloadId',
    'Remove an ended download from the list; the model stays',
    { response: done, errors: ['DOWNLOAD_NOT_FOUND', 'BAD_FIELD'] },
  ),
  modelFolderList: GET('/api/models/folders', 'List the model folders', { response: folders }),
  modelFoldersSet: POST('/api/models/folders', 'Set the model folders; applies to workers started afterwards', {
    body: modelFoldersUpdate,
    response: folders,
    errors: ['NOT_JSON', 'BAD_FIELD'],
  }),
  modelCredentialsList: GET('/api/models/credentials', 'List the hosts with stored credentials', {
    response: z.object({ credentials: z.array(modelCredentialsView) }),
  }),
  modelCredentialsPut: POST(
    '/api/models/credentials',
    'Store credentials for a host, encrypted; they are sent to this host only and never shown',
    {
      role: 'admin',
      body: modelCredentialsPut,
      response: modelCredentialsView,
      errors: ['NOT_JSON', 'BAD_FIELD'],
    },
  ),
  modelCredentialsRemove: DELETE('/api/models/credentials/:host', 'Remove the credentials for a host', {
    role: 'admin',
    response: done,
    errors: ['CREDENTIALS_NOT_FOUND'],
  }),
} as const satisfies Record<string, Route>
