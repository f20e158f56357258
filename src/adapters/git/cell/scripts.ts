/**
 * What runs in cells. `$LAST` is the tree that the host knows the workspace to have held last; `$TREE` the one it shall
 * hold. The shadow git folder holds our own index of the workspace, so no file that a stage can write steers git:
 *
 *   index          what the workspace held when it was last saved, built or restored
 *   known          the tree that the index stands for; without it, that is not known
 *   info/exclude   the ignore rules of the commit the run started from
 *   new/           objects on their way to the vault, while a cell is at work
 *   gitlinks       folders of submodules: they stay empty
 */
import { BEHIND } from "../../../ports/sandbox.ts";
import { SCAN } from "./scan-script.ts";

const CODE_OF_FAILURE = 90;

const COMMON = `
say() { printf '%s\\n' "$@"; printf '\\0'; }
fail() { cat /tmp/e[0-9] >&2 2>/dev/null; exit ${CODE_OF_FAILURE}; }
cd ${BEHIND.workspace} || exit ${CODE_OF_FAILURE}
open_up() {
  find . -mindepth 1 -path ./.git -prune -o -type d ! -perm -u=rwx -exec chmod u+rwx {} ';' \\
    -o -type f ! -perm -u=r -exec chmod u+r {} +
}
`;

/** Sends the objects of this cell as a pack. */
const SEND = `
ids() {
  for object in ??/*; do
    case $object in [0-9a-f][0-9a-f]/[0-9a-f]*[0-9a-f]) printf '%s%s\\n' "\${object%/*}" "\${object#*/}" ;; esac
  done
  for index in pack/*.idx; do
    [ ! -f "$index" ] || git show-index <"$index" | cut -d ' ' -f 2
  done
}
send() {
  cd "$GIT_OBJECT_DIRECTORY" || fail
  ids >/tmp/ids
  cd ${BEHIND.workspace} || fail
  if [ ! -s /tmp/ids ]; then say known "$tree"
  else
    say pack "$tree"
    git pack-objects -q --stdout --window=0 </tmp/ids 2>/tmp/e5 || fail
  fi
}
`;

const FINISH = `
find_gitlinks() { git ls-tree -r -z "$TREE" | grep -z '^160000 ' | sed -z 's/^[^\\t]*\\t//' >"$GIT_DIR/gitlinks"; }
make_gitlinks() {
  [ ! -s "$GIT_DIR/gitlinks" ] || xargs -0 mkdir -p -- <"$GIT_DIR/gitlinks"
}
wipe_private() {
  rm -rf .git 2>/dev/null || { find .git -type d ! -perm -u=rwx -exec chmod u+rwx {} ';'; rm -rf .git; }
}
private() {
  wipe_private || fail
  if [ -n "$LINK" ]; then
    printf 'gitdir: %s\\n' "$LINK" >.git
    GIT_INDEX_FILE=/run/pawl/linked/index git read-tree "$HEAD_COMMIT" || fail
    GIT_INDEX_FILE=/run/pawl/linked/index git update-index -q --refresh || true
  else
    mkdir -p .git/objects/info .git/objects/pack .git/refs/heads .git/refs/tags .git/info
    printf '%s\\n' ${BEHIND.objects} >.git/objects/info/alternates
    printf 'ref: refs/heads/pawl\\n' >.git/HEAD
    printf '%s\\n' "$HEAD_COMMIT" >.git/refs/heads/pawl
    printf '%s' "$PRIVATE_CONFIG" >.git/config
    cp "$GIT_DIR/index" .git/index
    [ "$TREE" = "$HEAD_COMMIT" ] || GIT_INDEX_FILE=$PWD/.git/index git read-tree --reset "$HEAD_COMMIT" 2>/tmp/e8 || fail
    [ ! -f /run/pawl/shallow ] || cp /run/pawl/shallow .git/shallow
  fi
}
lay_out() {
  rm -f "$GIT_DIR/young" "$GIT_DIR/young.new" "$GIT_DIR/known"
  find_gitlinks & finder=$!
  git read-tree --reset -u "$TREE" 2>/tmp/e6 && wait "$finder"
}
has_objects() {
  [ -d .git ] && [ ! -L .git ] && [ ! -L .git/objects ] || return 1
  [ -n "$(find .git/objects -type f ! -path '.git/objects/info/*' -print -quit 2>/dev/null)" ]
}
`;

/**
 * Waits for a line, `$LAST`. Answers `same <tree>`, `known <tree>` (all its objects are in the vault), `pack <tree>` or
 * `unfit <why>`. When a second line says that the tree is kept, the next scan has less to do. The process that packs is
 * started ahead, like the one that adds, when there is time: `$AHEAD`.
 */
export const SAVE = `${COMMON}${SCAN}${SEND}
open_packer() {
  git pack-objects -q --stdout --window=0 </tmp/wanted 2>/tmp/e5 & packer=$!
  exec 8>/tmp/wanted
}
send_ids() {
  cd "$GIT_OBJECT_DIRECTORY" || fail
  set -- ??/* pack/*.idx
  if [ "$*" = "??/* pack/*.idx" ]; then say known "$tree"
  else
    say pack "$tree"
    ids >&8
    exec 8>&-
    wait "$packer" || fail
  fi
  cd ${BEHIND.workspace} || fail
}
set_up
open_packer
[ -z "$AHEAD" ] || wait_ready
read -r LAST || exit 0
scan
if [ "$tree" = "$LAST" ]; then say same "$tree"; else send_ids; fi
read -r kept || exit 0
publish
rm -rf "$GIT_DIR/new" "$GIT_DIR"/sharedindex*
exit 0
`;

/**
 * Fills an empty folder. Answers `built`. Ignored files of another workspace come first: git, which lays out the tree over
 * them, follows no link.
 */
export const BUILD = `${COMMON}${FINISH}
copy_ignored() {
  cd /run/pawl/origin/tree || return 1
  rules=/run/pawl/origin/shadow.git/info/exclude
  GIT_DIR=/run/pawl/origin/shadow.git GIT_WORK_TREE=$PWD git ls-files -z -o -i --directory -X "$rules" >/tmp/ignored &&
    sed -z 's:/$::; s:^:./:' </tmp/ignored | grep -zvx './.pawl' |
    xargs -0r cp -a --reflink=auto --parents -t ${BEHIND.workspace} -- && cd ${BEHIND.workspace}
}
[ ! -d /run/pawl/origin ] || copy_ignored 2>/tmp/e7 || fail
lay_out || fail
count=0
printf '%s' "$SHARES" | while IFS= read -r at; do
  mkdir -p "./$at" && cp -a --reflink=auto "/run/pawl/share/$count/." "./$at/" || exit 1
  find "./$at" -name .pawl -prune -exec rm -rf {} + || exit 1
  count=$((count + 1))
done 2>/tmp/e7 || fail
make_gitlinks
private
say built
`;

/**
 * Answers `restored`; or, having changed nothing, `dirty` (it holds what is not saved), `stray` (it holds what no tree can
 * hold) or `objects` (its private repository has objects of its own, and `$FORCE` is empty).
 */
export const RESTORE = `${COMMON}${SCAN}${FINISH}
refuse() { say stray; exit 0; }
set_up
scan
[ "$tree" = "$LAST" ] || { say dirty "$tree"; exit 0; }
publish || fail
[ -z "$(find . -mindepth 2 -name .git -prune -print -quit)" ] || refuse
[ -n "$FORCE" ] || ! has_objects || { say objects; exit 0; }
special -exec rm -f {} +
lay_out || fail
find . -mindepth 1 -depth ! -path ./.git ! -path './.git/*' -type d -empty -delete
make_gitlinks
private
say restored
`;

/**
 * Answers `pack <tree>`: a tree with one file, an archive. It holds what differs from `$LAST` and what no tree can hold, or,
 * when that cannot be told or `$WHOLE` is set, everything but the private repository.
 */
export const ARCHIVE = `${COMMON}${SCAN}${SEND}
list() {
  [ -z "$WHOLE" ] && [ -f "$GIT_DIR/index" ] && look || return 1
  : >>"$GIT_DIR/gitlinks"
  { cat /tmp/others /tmp/changed "$GIT_DIR/gitlinks"; find . -mindepth 2 -name .git -prune -print0; } |
    sed -z 's:^\\(\\./\\)\\?:./:' | sort -zu |
    xargs -0 sh -c 'for at; do if [ -e "$at" ] || [ -L "$at" ]; then printf "%s\\0" "$at"; fi; done' sh >/tmp/list
}
packer=
watch >/dev/null 2>&1 & watcher=$!
rm -rf "$GIT_DIR/new"; mkdir "$GIT_DIR/new" || fail
open_up
# A pattern to leave out would cost tar minutes for a path of thousands of folders.
list || find . -mindepth 1 -maxdepth 1 ! -name .git -print0 >/tmp/list
kill "$watcher" 2>/dev/null
tar --null --verbatim-files-from -T /tmp/list -cSf "$GIT_DIR/archive" 2>/tmp/e1
[ $? -lt 2 ] || fail
blob=$(git hash-object -w --no-filters "$GIT_DIR/archive" 2>/tmp/e2) || fail
tree=$(printf '100644 blob %s\\tworkspace.tar\\n' "$blob" | git mktree 2>/tmp/e3) || fail
rm -f "$GIT_DIR/archive"
send
`;

/**
 * Everything that the private repository has and the vault has not. Answers `none`, or `pack <tree> <commit>…`: the tree
 * names each new object that no new commit holds, the commits are those that no other new commit follows.
 */
export const SALVAGE = `${COMMON}${SEND}${FINISH}
has_objects || { say none; exit 0; }
[ -z "$(find .git ! -type f ! -type d -print -quit)" ] || fail
objects=$PWD/.git/objects
printf '%s\\n' "$objects"/??/* | sed 's:.*/\\(..\\)/\\([^/]*\\)$:\\1\\2:' >/tmp/found
for index in "$objects"/pack/*.idx; do [ ! -f "$index" ] || git show-index <"$index" 2>/dev/null | cut -d ' ' -f 2 >>/tmp/found; done
grep -xE '[0-9a-f]{40}|[0-9a-f]{64}' /tmp/found | sort -u |
  GIT_OBJECT_DIRECTORY=${BEHIND.objects} git cat-file --batch-check='%(objectname)' | sed -n 's/ missing$//p' >/tmp/missing
rm -rf "$GIT_DIR/new"; mkdir "$GIT_DIR/new" || fail
export GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects:$GIT_ALTERNATE_OBJECT_DIRECTORIES"
git cat-file --batch-check='%(objecttype) %(objectname)' </tmp/missing >/tmp/types
[ -s /tmp/types ] || { say none; exit 0; }
! grep -q ' missing$' /tmp/types || fail
sed -n 's/^commit //p' /tmp/types >/tmp/commits
: >/tmp/tips
[ ! -s /tmp/commits ] || git rev-list --no-walk --parents --stdin </tmp/commits 2>/tmp/e1 |
  awk '{ mine[$1]; for (i = 2; i <= NF; i++) held[$i] } END { for (id in mine) if (!(id in held)) print id }' | sort >/tmp/tips
{ sed -n 's/^blob \\(.*\\)/100644 blob \\1\\t\\1/p; s/^tree \\(.*\\)/040000 tree \\1\\t\\1/p' /tmp/types
  for tag in $(sed -n 's/^tag //p' /tmp/types); do
    printf '100644 blob %s\\ttag-%s\\n' "$(git cat-file tag "$tag" | git hash-object -w --stdin)" "$tag"
  done
  { cat .git/HEAD; find .git/refs .git/logs -type f -exec grep -H . {} +; cat .git/packed-refs; } >/tmp/names 2>/dev/null
  printf '100644 blob %s\\tnames\\n' "$(git hash-object -w --no-filters /tmp/names)"
} | git mktree >/tmp/tree 2>/tmp/e2 || fail
read -r tree </tmp/tree
cd "$GIT_OBJECT_DIRECTORY" || fail
ids | cat /tmp/missing - | sort -u >/tmp/ids
say pack "$tree" $(cat /tmp/tips)
git pack-objects -q --stdout --window=0 </tmp/ids 2>/tmp/e3 || fail
`;

/** The private repository as an archive, for when its objects do not fit together. Answers like ARCHIVE. */
export const ARCHIVE_PRIVATE = `${COMMON}${SEND}
find .git -type d ! -perm -u=rwx -exec chmod u+rwx {} ';'
rm -rf "$GIT_DIR/new"; mkdir "$GIT_DIR/new" || fail
tar -cSf "$GIT_DIR/archive" .git 2>/tmp/e1; [ $? -lt 2 ] || fail
blob=$(git hash-object -w --no-filters "$GIT_DIR/archive" 2>/tmp/e2) || fail
tree=$(printf '100644 blob %s\\tprivate.tar\\n' "$blob" | git mktree 2>/tmp/e3) || fail
rm -f "$GIT_DIR/archive"
send
`;

/**
 * Empties the folder of a workspace, which is all that this cell sees. Answers `gone`; or, having changed nothing, `objects`
 * (its private repository has objects of its own) or `stray` (it holds what no tree can hold), unless `$KNOWN` names it.
 */
export const REMOVE = `${COMMON}${FINISH}
if [ -d tree ] && [ ! -L tree ] && cd tree; then
  case $KNOWN in *objects*) ;; *) ! has_objects || { say objects; exit 0; } ;; esac
  case $KNOWN in *stray*) ;; *) [ -z "$(find . -mindepth 2 -name .git -prune -print -quit)" ] || { say stray; exit 0; } ;; esac
  cd .. || fail
fi
find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + 2>/dev/null
if [ -n "$(ls -A .)" ]; then
  find . -type d ! -perm -u=rwx -exec chmod u+rwx {} ';'
  find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + 2>/tmp/e1 || fail
fi
say gone
`;

/**
 * A sealed path that is a link is put away while a wall stands; a host that was killed could not put it back. `$NAMES`: the
 * sealed names, for a regular expression. Answers `relinked`.
 */
export const RELINK = `${COMMON}
git ls-files -s -z | sed -zn 's/^120000 [0-9a-f]* 0\\t//p' | grep -zE "(^|/)($NAMES)$" >/tmp/links
xargs -0r sh -c 'for at; do
  [ ! -L "./$at" ] || continue
  [ ! -S "./$at" ] && [ ! -p "./$at" ] || rm -f "./$at"
  rmdir "./$at" 2>/dev/null
  [ -e "./$at" ] || printf "%s\\0" "$at"
done' sh </tmp/links | git checkout-index -z --stdin 2>/tmp/e1 || fail
say relinked
`;
