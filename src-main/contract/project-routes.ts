import { z } from 'zod'
import { environmentName, RUNS_ON } from './app.ts'
import { sessionLink } from './live.ts'
import { machineChoice } from './machines.ts'
import {
  buildView,
  exampleView,
  folderList,
  previewView,
  projectBuildRequest,
  projectDetail,
  projectPlan,
  projectView,
} from './projects.ts'
import { DELETE, done, GET, POST, type Route } from './routes.ts'

const folder = z.string().min(1).max(4096)
const follow = z
  .enum(['true', 'false'])
  .optional()
  .describe('as server-sent events with the whole state, until it ends')

export const PROJECT_ROUTES = {
  folderList: GET(
    '/api/folders',
    'List the folders in a folder of this machine; keys below the role deploy see only those of projects and models',
    {
      query: {
        path: folder.optional(),
        files: z.enum(['handlers']).optional().describe('also list files that may hold a handler'),
      },
      response: folderList,
      errors: ['BAD_FIELD', 'FOLDER_UNREADABLE', 'FORBIDDEN_ROLE'],
    },
  ),
  exampleList: GET('/api/examples', 'List the example apps that come with Drydock', {
    response: z.object({ examples: z.array(exampleView) }),
  }),
  projectList: GET('/api/projects', 'List the projects that were opened, the last one first', {
    response: z.object({ projects: z.array(projectView) }),
  }),
  projectOpen: POST(
    '/api/projects',
    'Open a folder with an app; with `from` it is created first, from an example or the template `app`',
    {
      body: z.strictObject({ folder, from: z.string().min(1).max(100).optional() }),
      response: projectView,
      errors: ['NOT_JSON', 'BAD_FIELD', 'FOLDER_UNREADABLE', 'FOLDER_NOT_EMPTY'],
    },
  ),
  projectRead: GET('/api/projects/:projectId', 'Read a project and its current source', {
    response: projectDetail,
    errors: ['PROJECT_NOT_FOUND'],
  }),
  projectForget: DELETE(
    '/api/projects/:projectId',
    'Remove a project from the list and end its preview; the folder and what is deployed stay',
    { response: done, errors: ['PROJECT_NOT_FOUND'] },
  ),
  projectBuild: POST('/api/projects/:projectId/build', 'Build the app; the artifact is stored for a deploy', {
    body: projectBuildRequest,
    response: buildView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'PROJECT_NOT_FOUND', 'BUILD_RUNNING', 'STOPPING'],
  }),
  buildRead: GET('/api/projects/:projectId/build', 'Read the newest build and its progress', {
    query: { follow },
    response: buildView,
    errors: ['PROJECT_NOT_FOUND', 'NO_BUILD', 'BAD_FIELD'],
  }),
  buildCancel: POST('/api/projects/:projectId/build/cancel', 'Stop the build', {
    response: buildView,
    errors: ['PROJECT_NOT_FOUND', 'NO_BUILD'],
  }),
  projectPlan: POST(
    '/api/projects/:projectId/plan',
    'Build if the source has changed, and plan a deploy; nothing is deployed',
    {
      body: projectBuildRequest.extend({
        environment: environmentName,
        runsOn: z.enum(RUNS_ON).optional(),
        machine: machineChoice.optional(),
      }),
      response: projectPlan,
      errors: [
        'NOT_JSON',
        'BAD_FIELD',
        'PROJECT_NOT_FOUND',
        'BUILD_RUNNING',
        'BUILD_FAILED',
        'DISK_FULL',
        'STOPPING',
        'SCHEDULES_NOT_SUPPORTED',
      ],
    },
  ),
  previewStart: POST(
    '/api/projects/:projectId/preview',
    'Start a preview: a service of its own that reloads on every save',
    { response: previewView, errors: ['PROJECT_NOT_FOUND', 'PREVIEW_RUNNING', 'STOPPING'] },
  ),
  previewRead: GET('/api/projects/:projectId/preview', 'Read the newest preview and its events', {
    query: { follow },
    response: previewView,
    errors: ['PROJECT_NOT_FOUND', 'NO_PREVIEW', 'BAD_FIELD'],
  }),
  previewStop: DELETE('/api/projects/:projectId/preview', 'End the preview and remove all of it', {
    response: previewView,
    errors: ['PROJECT_NOT_FOUND', 'NO_PREVIEW'],
  }),
  previewLink: POST(
    '/api/projects/:projectId/preview/link',
    'Create a link that signs a browser in to the pages of the preview',
    { response: sessionLink, errors: ['PROJECT_NOT_FOUND', 'NO_PREVIEW'] },
  ),
} as const satisfies Record<string, Route>
