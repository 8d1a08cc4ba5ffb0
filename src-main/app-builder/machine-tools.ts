/** What the command line and the server need of this machine and installation, without building anything. */
export { fileTools } from '../build/file-tools.ts'
export { PACKAGE_INDEX_FILE, readPackageIndexFile } from '../build/package-index-file.ts'
export { RESOURCES, resourceProgram } from '../build/resource-program.ts'
export { readBuiltInNodeTypes } from '../build/workflow-resources.ts'
