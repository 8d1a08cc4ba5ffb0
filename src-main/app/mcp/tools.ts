/** THE table of tools for coding agents, joined from the features. Source: docs/spec/agents.md. */

import { APP_TOOLS } from '../../features/apps/tools.ts'
import { BATCH_TOOLS } from '../../features/batches/tools.ts'
import { ENDPOINT_TOOLS } from '../../features/endpoints/tools.ts'
import { REQUEST_TOOLS } from '../../features/jobs/request-tools.ts'
import { JOB_TOOLS } from '../../features/jobs/tools.ts'
import { WORKFLOW_TOOLS } from '../../features/workflows/tools.ts'
import type { Tool } from './tool.ts'
import { SERVICE_TOOLS } from './tools/service-tools.ts'

export const TOOLS: readonly Tool[] = [
  ...SERVICE_TOOLS,
  ...ENDPOINT_TOOLS,
  ...JOB_TOOLS,
  ...REQUEST_TOOLS,
  ...BATCH_TOOLS,
  ...WORKFLOW_TOOLS,
  ...APP_TOOLS,
]
