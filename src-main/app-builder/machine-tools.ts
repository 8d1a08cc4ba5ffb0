/** What the command line and the server need of this machine and installation, without building anything. */
export { fileTools } from '../build/file-tools.ts'
export { RESOURCES, resourceProgram } from '../build/resource-program.ts'
export { readBuiltInNodeTypes } from '../build/workflow-resources.ts'
