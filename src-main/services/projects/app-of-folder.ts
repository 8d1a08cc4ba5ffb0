/** Name of the app in a folder: that of the folder, as for the command line. @param folder absolute */
export function appOfFolder(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder
}
