/** Whether a path is one of the folders or lies below one. All are absolute and normal. */
export function isWithin(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`));
}
