/** What the command line needs for workflows without a service. */
export { fileTools } from '../build/file-tools.ts'
export { readBuiltInNodeTypes } from '../build/workflow-resources.ts'
