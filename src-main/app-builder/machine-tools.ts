export {
  fileTools,
  PACKAGE_INDEX_FILE,
  RESOURCES,
  readBuiltInNodeTypes,
  readPackageIndexFile,
  resourceProgram,
} from '../build/resources.ts'
