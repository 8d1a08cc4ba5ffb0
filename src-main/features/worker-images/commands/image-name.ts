import { usageError } from '../../../app/cli/cli-error.ts'

// Source: Docker's reference of image names.
const IMAGE_NAME = /^[a-z0-9]+([._-]+[a-z0-9]+)*(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:\w[\w.-]{0,127})?$/

/** @throws CliError if Docker would refuse the name */
export function checkImageName(name: string): void {
  if (IMAGE_NAME.test(name)) return
  throw usageError(`"${name}" is not the name of an image, like worker:1. It has no capital letters or spaces.`)
}
