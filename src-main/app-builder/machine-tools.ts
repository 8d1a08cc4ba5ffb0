/** What the command line and the server need of this machine and installation, without building anything. */
export {
  fileTools,
  PACKAGE_INDEX_FILE,
  RESOURCES,
  readBuiltInNodeTypes,
  readPackageIndexFile,
  resourceProgram,
} from '../build/resources.ts'
