/** The routes of projects: folders with apps on this machine. Source: issue 6, item 6; names are ours. */
import { z } from 'zod'
import { environmentName, RUNS_ON } from './app.ts'
import { sessionLink } from './live.ts'
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
import type { Route } from './routes.ts'

const done = z.object({ ok: z.literal(true) })
const folder = z.string().min(1).max(4096)
const follow = z.enum(['true', 'false']).optional().describe('as server-sent events, each the whole, until it ends')
const SOURCE = 'issue 6, item 6'

/** Part of the management API. */
export const PROJECT_ROUTES = {
  folderList: {
    methods: ['GET'],
    path: '/api/folders',
    summary: 'Folders of this machine, to choose one; without a path those of the home folder',
    query: {
      path: folder.optional(),
      files: z.enum(['handlers']).optional().describe('list the files that a handler may be in, too'),
    },
    answer: folderList,
    errors: ['BAD_FIELD', 'FOLDER_UNREADABLE'],
    source: SOURCE,
  },
  exampleList: {
    methods: ['GET'],
    path: '/api/examples',
    summary: 'The example apps that come along',
    answer: z.object({ examples: z.array(exampleView) }),
    errors: [],
    source: SOURCE,
  },
  projectList: {
    methods: ['GET'],
    path: '/api/projects',
    summary: 'List the projects that were opened, the last one first',
    answer: z.object({ projects: z.array(projectView) }),
    errors: [],
    source: SOURCE,
  },
  projectOpen: {
    methods: ['POST'],
    path: '/api/projects',
    summary: 'Open a folder with an app; with `from` it is made first, from an example or the template `app`',
    body: z.strictObject({ folder, from: z.string().min(1).max(100).optional() }),
    answer: projectView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'FOLDER_UNREADABLE', 'FOLDER_NOT_EMPTY'],
    source: SOURCE,
  },
  projectRead: {
    methods: ['GET'],
    path: '/api/projects/:projectId',
    summary: 'Read a project and its source as it is now',
    answer: projectDetail,
    errors: ['PROJECT_NOT_FOUND'],
    source: SOURCE,
  },
  projectForget: {
    methods: ['DELETE'],
    path: '/api/projects/:projectId',
    summary: 'Forget a project: its preview ends; the folder and what is deployed stay',
    answer: done,
    errors: ['PROJECT_NOT_FOUND'],
    source: SOURCE,
  },
  projectBuild: {
    methods: ['POST'],
    path: '/api/projects/:projectId/build',
    summary: 'Build the app; the artifact is kept for a deploy',
    body: projectBuildRequest,
    answer: buildView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'PROJECT_NOT_FOUND', 'BUILD_RUNNING', 'STOPPING'],
    source: SOURCE,
  },
  buildRead: {
    methods: ['GET'],
    path: '/api/projects/:projectId/build',
    summary: 'The newest build and how far it is',
    query: { follow },
    answer: buildView,
    errors: ['PROJECT_NOT_FOUND', 'NO_BUILD', 'BAD_FIELD'],
    source: SOURCE,
  },
  buildCancel: {
    methods: ['POST'],
    path: '/api/projects/:projectId/build/cancel',
    summary: 'Stop the build',
    answer: buildView,
    errors: ['PROJECT_NOT_FOUND', 'NO_BUILD'],
    source: SOURCE,
  },
  projectPlan: {
    methods: ['POST'],
    path: '/api/projects/:projectId/plan',
    summary: 'Build where the source has changed, and say what a deploy would do; a release of the artifact does it',
    body: projectBuildRequest.extend({ environment: environmentName, runsOn: z.enum(RUNS_ON).optional() }),
    answer: projectPlan,
    errors: ['NOT_JSON', 'BAD_FIELD', 'PROJECT_NOT_FOUND', 'BUILD_RUNNING', 'BUILD_FAILED', 'DISK_FULL', 'STOPPING'],
    source: SOURCE,
  },
  previewStart: {
    methods: ['POST'],
    path: '/api/projects/:projectId/preview',
    summary: 'Start a preview: a service of its own that follows every save',
    answer: previewView,
    errors: ['PROJECT_NOT_FOUND', 'PREVIEW_RUNNING', 'STOPPING'],
    source: SOURCE,
  },
  previewRead: {
    methods: ['GET'],
    path: '/api/projects/:projectId/preview',
    summary: 'The newest preview and what it told',
    query: { follow },
    answer: previewView,
    errors: ['PROJECT_NOT_FOUND', 'NO_PREVIEW', 'BAD_FIELD'],
    source: SOURCE,
  },
  previewStop: {
    methods: ['DELETE'],
    path: '/api/projects/:projectId/preview',
    summary: 'End the preview; nothing of it stays',
    answer: previewView,
    errors: ['PROJECT_NOT_FOUND', 'NO_PREVIEW'],
    source: SOURCE,
  },
  previewLink: {
    methods: ['POST'],
    path: '/api/projects/:projectId/preview/link',
    summary: 'Make an address that signs a browser in to the pages of the preview',
    answer: sessionLink,
    errors: ['PROJECT_NOT_FOUND', 'NO_PREVIEW'],
    source: SOURCE,
  },
} as const satisfies Record<string, Route>
