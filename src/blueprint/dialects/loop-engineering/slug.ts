/** A name for people as a pattern or a blueprint would have it: `Post-Merge Cleanup` is `post-merge-cleanup`. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
