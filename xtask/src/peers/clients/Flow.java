import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.*;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** fabric8's client: creates, lists, watches, patches, applies, follows and deletes ConfigMaps. */
public class Flow {
  interface Step {
    void run() throws Exception;
  }

  static int number = 0;

  static void step(String name, Step step) {
    number += 1;
    try {
      step.run();
      System.out.println("ok " + number + " - " + name);
    } catch (Throwable error) {
      System.out.println("not ok " + number + " - " + name + ": " + error.toString().replace('\n', ' '));
    }
  }

  static void check(boolean holds, Object why) {
    if (!holds) throw new AssertionError(why);
  }

  static void until(BooleanSupplier holds, Object why) throws InterruptedException {
    for (int attempt = 0; attempt < 50 && !holds.getAsBoolean(); attempt++) Thread.sleep(100);
    check(holds.getAsBoolean(), why);
  }

  static ConfigMap map(String value) {
    return new ConfigMapBuilder().withNewMetadata().withName("java").addToLabels("peer", "java").endMetadata()
        .addToData("a", value).build();
  }

  public static void main(String[] args) throws Exception {
    Config config = Config.fromKubeconfig(Files.readString(Path.of(args[0])));
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      var maps = client.configMaps().inNamespace("default");
      step("version", () -> check("1".equals(client.getKubernetesVersion().getMajor()), client.getKubernetesVersion()));
      step("created", () -> check(maps.resource(map("1")).create().getMetadata().getUid() != null, "no uid"));
      step("conflict", () -> {
        try {
          maps.resource(map("1")).create();
          throw new AssertionError("created twice");
        } catch (KubernetesClientException error) {
          check(error.getCode() == 409, error);
        }
      });
      step("listed", () -> check(maps.withLabel("peer", "java").list().getItems().size() == 1, "not one"));
      step("watched", () -> {
        List<String> seen = new CopyOnWriteArrayList<>();
        Watcher<ConfigMap> watcher = new Watcher<>() {
          public void eventReceived(Action action, ConfigMap map) {
            seen.add(action + " " + map.getData().get("a"));
          }
          public void onClose(WatcherException cause) {}
        };
        try (Watch watch = maps.withLabel("peer", "java").watch(watcher)) {
          maps.resource(map("2")).update();
          until(() -> seen.contains("MODIFIED 2"), seen);
        }
      });
      step("patched", () -> {
        String patch = "[{\"op\": \"replace\", \"path\": \"/data/a\", \"value\": \"3\"}]";
        ConfigMap patched = maps.withName("java").patch(PatchContext.of(PatchType.JSON), patch);
        check("3".equals(patched.getData().get("a")), patched.getData());
      });
      step("applied", () -> {
        ConfigMap applied = new ConfigMapBuilder().withNewMetadata().withName("java").endMetadata().addToData("b", "1").build();
        ConfigMap found = maps.resource(applied).fieldManager("java").serverSideApply();
        check(Map.of("a", "3", "b", "1").equals(found.getData()), found.getData());
      });
      step("followed", () -> {
        List<String> seen = new CopyOnWriteArrayList<>();
        ResourceEventHandler<ConfigMap> handler = new ResourceEventHandler<>() {
          public void onAdd(ConfigMap map) {
            seen.add("add " + map.getData().get("a"));
          }
          public void onUpdate(ConfigMap old, ConfigMap map) {
            seen.add("update " + map.getData().get("a"));
          }
          public void onDelete(ConfigMap map, boolean unknown) {
            seen.add("delete " + map.getData().get("a"));
          }
        };
        try (var informer = maps.withLabel("peer", "java").inform(handler)) {
          until(() -> seen.contains("add 3"), seen);
          maps.withName("java").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\": {\"a\": \"4\"}}");
          until(() -> seen.contains("update 4"), seen);
          maps.withName("java").delete();
          until(() -> seen.contains("delete 4"), seen);
        }
      });
    }
    System.exit(0);
  }
}
