/**
 * What runs in cells. `$LAST` is the tree that the host knows the workspace to have held last; `$TREE` the one it shall
 * hold. The shadow git folder holds our own index of the workspace, so no file that a stage can write steers git:
 *
 *   index          what the workspace held when it was last looked at
 *   info/exclude   the ignore rules of the commit the run started from
 *   new/           objects on their way to the vault; `sent` names the tree they belong to
 *   gitlinks       folders of submodules: they stay empty
 *   young          files that changed in the same second as the index was written. Git compares times in whole seconds, so
 *                  such a file could be changed again unseen; it is taken out of the index, and so always read anew.
 *   known          the tree that the index stands for
 *
 * A pipe where git expects a file would hold it for ever: when a scan takes long and there is one, git is ended, pipes and
 * sockets, which hold no bytes, are removed, and the scan begins again.
 */
import { BEHIND } from "../../../ports/sandbox.ts";

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

const SCAN = `
special() { find . -path ./.git -prune -o '(' -type p -o -type s ')' "$@"; }
watch() {
  while sleep 2 && [ -n "$(special -print -quit)" ]; do
    for process in /proc/[0-9]*; do
      read -r name <"$process/comm" && case $name in git*) kill -9 "\${process#/proc/}" ;; esac
    done
  done
}
refuse() { say unfit "$1"; exit 0; }
mend() {
  rm -f "$GIT_DIR/index" "$GIT_DIR/index.lock" "$GIT_DIR/young" "$GIT_DIR/young.new"
  [ -z "$LAST" ] || git read-tree "$LAST" 2>/tmp/e1
}
look() {
  git ls-files -z -o -X "$GIT_DIR/info/exclude" >/tmp/others 2>/tmp/e1 & others=$!
  git diff-files -z --name-only >/tmp/changed 2>/tmp/e2; changed=$?
  wait "$others" && [ "$changed" = 0 ] || return 1
  [ ! -s /tmp/e1 ] && [ ! -s /tmp/e2 ] || ! grep -qE '^(fatal|error)|could not|unable to|denied' /tmp/e1 /tmp/e2
}
check_nested() {
  [ -s /tmp/others ] && grep -zq '/$' /tmp/others || return 0
  refuse "the nested repository $(grep -z '/$' /tmp/others | head -zn 3 | tr '\\0' ' ')"
}
check_gitlinks() {
  [ -s "$GIT_DIR/gitlinks" ] || return 0
  xargs -0 sh -c 'for at; do [ -d "./$at" ] && [ ! -L "./$at" ] && [ -n "$(ls -A "./$at")" ] && printf "%s " "$at"; done; true' sh \\
    <"$GIT_DIR/gitlinks" >/tmp/filled
  [ ! -s /tmp/filled ] || refuse "files in the folder of a submodule: $(head -c 200 /tmp/filled)"
}
add() { git update-index --add --replace "$@" -z --stdin 2>/tmp/e3 && [ ! -s /tmp/e3 ]; }
take() {
  [ -s /tmp/changed ] || [ -s /tmp/others ] || return 0
  cat /tmp/changed /tmp/others | add --remove || take_slowly
}
take_slowly() {
  : >>"$GIT_DIR/young"
  git ls-files -z -o 2>/dev/null | sort -z >/tmp/all
  sort -zu "$GIT_DIR/young" | comm -z -12 /tmp/all - >/tmp/there
  git add -u . 2>/tmp/e3 && cat /tmp/others /tmp/there | add && return 0
  bad=$(sed -n "s/^error: Invalid path '\\(.*\\)'$/\\1/p; s/^Ignoring path \\(.*\\)/\\1/p" /tmp/e3 | head -n 1)
  [ -z "$bad" ] || refuse "a name that belongs to git: $bad"
  return 1
}
scan_once() {
  [ -f "$GIT_DIR/index" ] || mend
  if [ -f "$GIT_DIR/young.new" ]; then
    git update-index --force-remove -z --stdin <"$GIT_DIR/young.new" && mv "$GIT_DIR/young.new" "$GIT_DIR/young" || return 1
  fi
  look || { open_up; look; } || return 1
  [ ! -s "$GIT_DIR/young" ] || cat "$GIT_DIR/young" >>/tmp/changed
  check_nested; check_gitlinks
  wait "$cleaner"
  take || return 1
  if [ ! -s /tmp/changed ] && [ ! -s /tmp/others ] && [ -n "$LAST" ] && [ "$LAST" = "$known" ]; then tree=$LAST
  else tree=$(git write-tree 2>/tmp/e4) || return 1; fi
}
scan() {
  sent=; known=
  [ ! -f "$GIT_DIR/sent" ] || read -r sent <"$GIT_DIR/sent"
  [ ! -f "$GIT_DIR/known" ] || read -r known <"$GIT_DIR/known"
  { [ -z "$sent" ] || [ "$sent" != "$LAST" ] || rm -rf "$GIT_DIR/new" "$GIT_DIR/sent"
    [ -d "$GIT_DIR/new" ] || mkdir "$GIT_DIR/new"; } & cleaner=$!
  [ ! -e "$GIT_DIR/index.lock" ] || rm -f "$GIT_DIR/index.lock"
  watch >/dev/null 2>&1 & watcher=$!
  scan_once || { special -exec rm -f {} +; open_up; scan_once; } || { mend; known=; scan_once; } || fail
  kill "$watcher" 2>/dev/null
  [ "$tree" = "$known" ] || printf '%s\\n' "$tree" >"$GIT_DIR/known"
}
age() {
  [ -s /tmp/changed ] || [ -s /tmp/others ] || return 0
  cat /tmp/changed /tmp/others | sed -z 's:^:./:' |
    xargs -0 sh -c 'exec find "$@" -maxdepth 0 ! -type d -newerct "2 seconds ago" -print0' sh 2>/dev/null |
    sed -z 's:^\\./::' >"$GIT_DIR/young.new"
  [ ! -s "$GIT_DIR/young.new" ] || git update-index --force-remove -z --stdin <"$GIT_DIR/young.new" || return 0
  mv "$GIT_DIR/young.new" "$GIT_DIR/young"
}
`;

/** Sends what lies in new/ as a pack. */
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
    printf '%s\\n' "$tree" >"$GIT_DIR/sent"
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

/** Answers `same <tree>`, `known <tree>` (all its objects are in the vault), `pack <tree>` or `unfit <why>`. */
export const SAVE = `${COMMON}${SCAN}${SEND}
scan
if [ "$tree" = "$LAST" ]; then say same "$tree"; else send; fi
age
exit 0
`;

/** Fills an empty folder. Answers `built`. */
export const BUILD = `${COMMON}${FINISH}
lay_out || fail
count=0
printf '%s' "$SHARES" | while IFS= read -r at; do
  mkdir -p "./$at" && cp -a --reflink=auto "/run/pawl/share/$count/." "./$at/" || exit 1
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
scan
[ "$tree" = "$LAST" ] || { say dirty "$tree"; exit 0; }
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
  : >>"$GIT_DIR/young"; : >>"$GIT_DIR/gitlinks"
  { cat /tmp/others /tmp/changed "$GIT_DIR/young" "$GIT_DIR/gitlinks"; find . -mindepth 2 -name .git -prune -print0; } |
    sed -z 's:^\\(\\./\\)\\?:./:' | sort -zu |
    xargs -0 sh -c 'for at; do if [ -e "$at" ] || [ -L "$at" ]; then printf "%s\\0" "$at"; fi; done' sh >/tmp/list
}
watch >/dev/null 2>&1 &
rm -rf "$GIT_DIR/new" "$GIT_DIR/sent"; mkdir "$GIT_DIR/new" || fail
open_up
list || printf './\\0' >/tmp/list
tar --anchored --exclude=./.git --null --verbatim-files-from -T /tmp/list -cSf "$GIT_DIR/archive" 2>/tmp/e1
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
rm -rf "$GIT_DIR/new" "$GIT_DIR/sent"; mkdir "$GIT_DIR/new" || fail
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
rm -rf "$GIT_DIR/new" "$GIT_DIR/sent"; mkdir "$GIT_DIR/new" || fail
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
